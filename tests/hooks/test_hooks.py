"""The hooks in commits of a repository that has never seen toolfold, with both runners."""

from pathlib import Path
from typing import Final

import pytest

from tests.hooks.material import MANIFEST, environments_in, offered
from tests.support.commands import Result, must, run
from tests.support.projects import ROOT

RUNNERS: Final = ("pre-commit", "prek")
HAND: Final = "# by hand\n"


class Repository:
    """A repository with the hook configured and installed by one of the runners."""

    def __init__(self, folder: Path, hooks: Path, revision: str, runner: str, home: Path) -> None:
        self.folder, self.runner, self.homes = folder, runner, environments_in(home)
        self.hooks, self.revision = hooks, revision
        must(folder, "git", "init", "-q")

    def configure(self, hook: str, arguments: str = "[]") -> None:
        self.write(
            ".pre-commit-config.yaml",
            f"repos:\n  - repo: {self.hooks}\n    rev: {self.revision}\n"
            f"    hooks:\n      - id: {hook}\n        args: {arguments}\n",
        )
        assert run(self.folder, self.runner, "install", "-f", environment=self.homes).code == 0

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def commit(self, *staged: str) -> Result:
        """Stage and commit, as a person does."""
        if staged:
            must(self.folder, "git", "add", *staged)
        return run(self.folder, "git", "commit", "-m", "change", environment=self.homes)

    def staged(self) -> list[str]:
        return must(self.folder, "git", "diff", "--cached", "--name-only").split()


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Path]:
    """The repository that offers the hooks, its revision, and where environments are kept."""
    folder = tmp_path_factory.mktemp("hooks")
    return folder / "offered", offered(folder / "offered"), folder


# One test for each runner, because its environment costs half a minute to build.
@pytest.mark.long
@pytest.mark.parametrize("runner", RUNNERS)
def test_commits_are_answered_rightly(
    runner: str, hooks: tuple[Path, str, Path], tmp_path: Path
) -> None:
    offered_, revision, home = hooks
    repository = Repository(tmp_path, offered_, revision, runner, home)
    _stale_manifest_then_clean(repository)
    _hand_edited_output(repository)
    _syntax_error(repository)
    _partial_commit(repository)
    _new_file_left_out(repository)
    _check_changes_nothing(repository)
    _monorepo(repository)


def _stale_manifest_then_clean(repository: Repository) -> None:
    repository.configure("toolfold-generate")
    repository.write("tools.yaml", MANIFEST)
    stale = repository.commit("tools.yaml", ".pre-commit-config.yaml")

    assert stale.code == 1, stale.text
    assert "git add generated" in stale.text
    assert repository.staged() == [".pre-commit-config.yaml", "tools.yaml"], "stages nothing"
    assert (repository.folder / "generated/docs/tools/find.md").is_file()
    clean = repository.commit("generated")
    assert clean.code == 0, clean.text
    assert "Passed" in clean.text


def _hand_edited_output(repository: Repository) -> None:
    name = "generated/demo_mcp/handlers.py"
    good = repository.read(name)
    repository.write(name, good + HAND)
    edited = repository.commit(name)

    assert edited.code == 1, edited.text
    assert "1 written" in edited.text
    assert repository.read(name) == good
    must(repository.folder, "git", "reset", "-q", "--hard")


def _syntax_error(repository: Repository) -> None:
    before = repository.read("generated/docs/index.md")
    repository.write("tools.yaml", MANIFEST + "  : [\n")
    broken = repository.commit("tools.yaml")

    assert broken.code == 1, broken.text
    assert "tools.yaml:6:" in broken.text
    assert "Traceback" not in broken.text
    assert repository.read("generated/docs/index.md") == before
    must(repository.folder, "git", "reset", "-q", "--hard")


def _partial_commit(repository: Repository) -> None:
    """What is staged decides; an edit that is not staged stays, and is not committed."""
    staged = MANIFEST.replace("summary: Find", "summary: Seek")
    repository.write("tools.yaml", staged)
    only_manifest = repository.commit("tools.yaml")
    assert only_manifest.code == 1, only_manifest.text
    must(repository.folder, "git", "add", "generated")
    later = MANIFEST.replace("summary: Find", "summary: Look")
    repository.write("tools.yaml", later)
    partial = repository.commit()

    assert partial.code == 0, partial.text
    assert must(repository.folder, "git", "show", "HEAD:tools.yaml") == staged
    assert repository.read("tools.yaml") == later
    must(repository.folder, "git", "reset", "-q", "--hard")


def _new_file_left_out(repository: Repository) -> None:
    """A new tool's files are in the folder and current, and yet no commit would hold them."""
    more = repository.read("tools.yaml") + "  show: {category: all, effect: read, summary: Show}\n"
    repository.write("tools.yaml", more)
    assert repository.commit("tools.yaml").code == 1
    must(repository.folder, "git", "add", "-u")
    left_out = repository.commit()

    assert left_out.code == 1, left_out.text
    assert "generated/docs/tools/show.md: generated, and not added to git" in left_out.text
    whole = repository.commit("-A")
    assert whole.code == 0, whole.text


def _check_changes_nothing(repository: Repository) -> None:
    repository.configure("toolfold-check")
    name = "generated/docs/index.md"
    edited = repository.read(name) + HAND
    repository.write(name, edited)
    checked = repository.commit(name, ".pre-commit-config.yaml")

    assert checked.code == 1, checked.text
    assert f"{name}: out of date (+0 -1)" in checked.text
    assert repository.read(name) == edited
    must(repository.folder, "git", "reset", "-q", "--hard")


def _monorepo(repository: Repository) -> None:
    repository.configure("toolfold-generate", "[--manifest, services/a/tools.yaml]")
    repository.write("services/a/tools.yaml", MANIFEST)
    first = repository.commit("services", ".pre-commit-config.yaml")
    assert first.code == 1, first.text
    assert "git add services/a/generated" in first.text
    second = repository.commit("services")
    assert second.code == 0, second.text


@pytest.mark.long
@pytest.mark.parametrize("runner", RUNNERS)
def test_try_repo_answers_as_a_configured_hook_does(
    runner: str, hooks: tuple[Path, str, Path], tmp_path: Path
) -> None:
    offered_, revision, home = hooks
    must(tmp_path, "git", "init", "-q")
    (tmp_path / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    must(tmp_path, "git", "add", "-A")
    command = (runner, "try-repo", str(offered_), "toolfold-generate", "--ref", revision, "-a")
    stale = run(tmp_path, *command, environment=environments_in(home))
    must(tmp_path, "git", "add", "-A")
    clean = run(tmp_path, *command, environment=environments_in(home))

    assert (stale.code, clean.code) == (1, 0), stale.text + clean.text


def test_this_repository_uses_its_own_hook() -> None:
    done = run(ROOT, "prek", "run", "toolfold-generate", "--all-files")

    assert done.code == 0, done.text
    assert "Passed" in done.text
