"""Projects as working directories, and the command in them."""

import shutil
from pathlib import Path

import pytest

from tests.cli.material import MANIFEST, Run
from tests.support.commands import Result, toolfold


@pytest.fixture
def run() -> Run:
    """The command in this process and the working directory."""

    def run(*arguments: str) -> Result:
        return toolfold(Path.cwd(), *arguments)

    return run


@pytest.fixture(scope="session")
def generated_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated_once")
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    done = toolfold(folder, "generate", "-q")
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def project(generated_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current project, as the working directory."""
    folder = tmp_path / "project"
    shutil.copytree(generated_once, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, as the working directory."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
