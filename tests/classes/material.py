"""A class for four tools, and what `check` answers about it."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.commands import toolfold

IMPORTS: Final = """\
from shop_mcp.models.drop import DropParams, DropResult
from shop_mcp.models.find import FindParams, FindResult
from shop_mcp.models.names import NamesParams, NamesResult
from shop_mcp.models.ping import PingParams
"""
#: By method: one that is right.
RIGHT: Final = {
    "find": "def find(self, params: FindParams) -> FindResult: ...",
    "drop": "def drop(self, params: DropParams) -> DropResult: ...",
    "names": "def names(self, params: NamesParams) -> NamesResult: ...",
    "ping": "def ping(self, params: PingParams) -> object: ...",
}


@dataclass(frozen=True)
class Shop:
    """A generated project whose class is written by a test."""

    folder: Path

    def write(self, text: str, name: str = "implementation.py") -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def write_class(self, find: str, start: str = "", more: str = "") -> None:
        """A class that is right in everything but `find`."""
        methods = "\n".join(f"    {line}" for line in {**RIGHT, "find": find}.values())
        self.write(f"{IMPORTS}{start}\n\nclass Tools:\n{methods}\n{more}")

    def problems(self) -> list[dict[str, Any]]:
        """What `check` reports."""
        done = toolfold(self.folder, "check", "--format", "json")
        records: list[dict[str, Any]] = json.loads(done.out)
        assert done.code == (1 if records else 0), done.text
        return records


def hide_implementations(patch: pytest.MonkeyPatch) -> None:
    """Take off the path what other tests of this process may have served as `implementation`."""
    others = [entry for entry in sys.path if not Path(entry, "implementation.py").exists()]
    patch.setattr(sys, "path", others)
