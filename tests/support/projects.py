"""Projects on disk: manifests, what is generated from them, and what lies in a folder."""

import importlib
import itertools
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mcp.server.lowlevel import Server
from toolfold_runtime import Catalog
from toolfold_runtime.contract.vocabulary import Exposure
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.serving.protocol import build_server

from tests.support.commands import toolfold

Json = dict[str, Any]

ROOT: Final = Path(__file__).parents[2]
_NUMBERS: Final = itertools.count()


def write_manifest(folder: Path, content: Json, name: str = "tools.yaml") -> Path:
    """The manifest as a file in `folder`; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def small_manifest(*tools: str, text: str = "What it does", package: str = "demo") -> Json:
    """A manifest of these tools; `text` is in every page and no module."""
    return {
        "toolfold": 1,
        "server": {"name": package, "package": package, "version": "1"},
        "categories": {f"{package}_all": {"description": text}},
        "tools": {
            name: {
                "category": f"{package}_all",
                "effect": "read",
                "summary": f"Tool {name}",
                "description": text,
                "parameters": {"v": {"type": "string"}},
            }
            for name in tools
        },
    }


def generate(folder: Path, *options: str) -> str:
    """Generate the manifest in `folder`, which must succeed without a complaint; what is printed."""
    done = toolfold(folder, "generate", *options)
    assert (done.code, done.err) == (0, "")
    return done.out


def import_path(output: Path) -> dict[str, str]:
    """The environment in which a process can import the packages in `output`."""
    inherited = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": f"{output}{os.pathsep}{inherited}" if inherited else str(output)}


@dataclass(frozen=True)
class Project:
    """A generated project in a folder of its own, under a package name of its own."""

    folder: Path
    package: str

    @property
    def manifest(self) -> Path:
        return self.folder / "tools.yaml"

    @property
    def output(self) -> Path:
        return self.folder / "generated"

    @property
    def catalog(self) -> Catalog:
        return Catalog(self.output / self.package / "catalog", self.package)

    def server(
        self, exposure: Exposure | None = None, implementation: object = None
    ) -> Server[Any]:
        """The generated server, as `serve` would build it."""
        if str(self.output) not in sys.path:
            sys.path.insert(0, str(self.output))
        module = importlib.import_module(f"{self.package}.server")
        executor = Executor(module.CATALOG, backend_of(module.CATALOG, implementation))
        return build_server(Dispatcher(module.CATALOG, module.META_TOOLS, executor, exposure))


def project(folder: Path, manifest: Json, implementation: str | None = None) -> Project:
    """Generate `manifest` through the public command, under a package name that no other has.

    The text of an implementation is written beside it as `implementation.py`.
    """
    package = f"project_{next(_NUMBERS)}"
    write_manifest(folder, manifest | {"server": manifest["server"] | {"package": package}})
    if implementation is not None:
        (folder / "implementation.py").write_text(implementation, encoding="utf-8")
    done = toolfold(folder, "generate", "--quiet")
    assert done.code == 0, done.err
    return Project(folder, package)


def served_by(folder: Path, tools: dict[str, Json], implementation: str, **more: Any) -> Project:
    """A project of these tools with an implementation in a file beside its manifest."""
    manifest = {
        "toolfold": 1,
        "server": {"name": "running", "version": "1", "implementation": "implementation:Tools"},
        "categories": {"all": {}},
        "tools": tools,
        **more,
    }
    return project(folder, manifest, implementation)


def files_in(folder: Path) -> dict[str, bytes]:
    """The content of every file below `folder`, bytecode apart."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def snapshot(folder: Path) -> dict[str, bytes | str]:
    """Every path below `folder` with its content, or what else it is."""
    contents: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            contents[name] = f"link to {path.readlink()}"
        elif path.is_dir():
            contents[name] = "folder"
        else:
            contents[name] = path.read_bytes()
    return contents
