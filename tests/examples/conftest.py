"""The sample workspace, freshly opened, and exports to sync it with."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.tana.workspace import Workspace
from tests.examples.exports import SAMPLE


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.delenv("TANA_DATABASE", raising=False)
    opened = Workspace()
    yield opened
    opened.close()


@pytest.fixture
def export() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(SAMPLE.read_text(encoding="utf-8"))
    return loaded


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[object], str]:
    def save(content: object) -> str:
        path = tmp_path / "export.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return str(path)

    return save
