"""docs/how-to/usage.md is true: its commands print what it shows, its schedules run, its places are found."""

import configparser
import re
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
import yaml
from toolfold_runtime.usage.location import VARIABLE, Location, location_of
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.rows import UsageRow, bucket_of

from tests.support.commands import must, run, toolfold
from tests.support.documents import fenced_blocks
from tests.support.projects import ROOT

PAGE: Final = (ROOT / "docs/how-to/usage.md").read_text(encoding="utf-8")
_MONTH: Final = 30 * 24


def blocks(language: str) -> list[str]:
    return fenced_blocks(PAGE, language)


@pytest.fixture
def tana(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository's own manifest with the usage that the page shows."""
    folder = tmp_path / "tana"
    folder.mkdir()
    manifest = (ROOT / "tools.yaml").read_text(encoding="utf-8")
    # Its methods are elsewhere; without a class nothing is written beside the manifest.
    text = manifest.replace("  implementation: examples.tana.workspace:Workspace\n", "")
    (folder / "tools.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "usage.db"))
    called(tmp_path / "usage.db", tana_search=9030, tana_node=5000, tana_create=9030)
    return folder


def called(store: Path, **calls: int) -> None:
    """Record calls of 50 ms, four in ten of them within a week."""
    hour, bucket = int(time.time()) // 3600, bucket_of(50)
    with closing(open_store(Location("sqlite", str(store)))) as opened:
        for name, count in calls.items():
            recent = count * 4 // 10
            opened.add(
                [
                    UsageRow(f"tana::{name}", "ok", at, bucket, number, number * 50.0, at * 3600.0)
                    for at, number in ((hour - 1, recent), (hour - _MONTH // 2, count - recent))
                ]
            )


def follow(block: str, folder: Path) -> list[str]:
    """Run every command of a block, each of which must print the lines that follow it."""
    commands, said = [], ""
    for line in block.splitlines():
        if not line.startswith("$ "):
            # Columns are as wide as the longest name.
            assert line.split() in [printed.split() for printed in said.splitlines()]
            continue
        command = line.removeprefix("$ ").partition("#")[0].split()
        commands.append(" ".join(command))
        done = toolfold(folder, *command[1:])
        assert (command[0], done.code, done.err) == ("toolfold", 0, done.err)
        said = done.out
    return commands


def test_the_commands_print_what_is_shown(tana: Path) -> None:
    shown, update = blocks("console")

    assert follow(shown, tana) == [
        "toolfold usage",
        "toolfold usage --by category --days 7",
        "toolfold usage --by day --format csv",
        "toolfold tiers",
    ]
    assert follow(update, tana) == ["toolfold tiers update"]


def test_the_rules_of_the_page_are_accepted_and_decide(tana: Path) -> None:
    (rules,) = blocks("yaml")
    manifest = tana / "tools.yaml"
    manifest.write_text(f"{manifest.read_text(encoding='utf-8')}\n{rules}", encoding="utf-8")
    weights = yaml.safe_load(rules)["tiers"]["weights"]
    (line,) = [line for line in toolfold(tana, "tiers").out.splitlines() if "tana_search" in line]

    assert weights["recency"] == 0
    assert " 0.00 " in line


def commit_all(folder: Path, words: str) -> None:
    must(folder, "git", "add", "-A")
    must(folder, "git", "commit", "-qm", words)


@pytest.fixture
def committed(tana: Path) -> Path:
    """The same in git, with the overlay named, and somewhere to push to."""
    toolfold(tana, "tiers", "update")
    manifest = tana / "tools.yaml"
    manifest.write_text(
        f"{manifest.read_text(encoding='utf-8')}\noverlays: [tiers.yaml]\n", encoding="utf-8"
    )
    assert toolfold(tana, "generate", "-q").code == 0
    must(tana, "git", "init", "-qb", "main")
    must(tana.parent, "git", "init", "-q", "--bare", "remote.git")
    must(tana, "git", "remote", "add", "origin", "../remote.git")
    commit_all(tana, "First")
    must(tana, "git", "push", "-qu", "origin", "main")
    return tana


def test_the_line_for_cron_commits_what_changed_and_nothing_else(committed: Path) -> None:
    (line,) = blocks("")
    command = re.sub(r"^(\S+ ){5} *", "", line).replace("/srv/tana", str(committed))

    def nightly() -> tuple[int, str]:
        done = run(committed, "bash", "-c", command)
        log = must(committed.parent / "remote.git", "git", "log", "--format=%s", "main")
        return done.code, log

    assert nightly() == (0, "First\n")
    called(committed.parent / "usage.db", tana_node=5000)
    assert nightly() == (0, "Update tiers\nFirst\n")
    assert toolfold(committed, "check").code == 0
    assert must(committed, "git", "status", "--porcelain") == ""


def unit(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    return parser


def test_the_units_for_systemd_run_these_commands(committed: Path) -> None:
    service, timer = (unit(block) for block in blocks("ini"))
    starts = re.findall(r"^ExecStart=/usr/bin/env (.+)$", blocks("ini")[0], re.MULTILINE)

    assert service["Service"]["WorkingDirectory"] == "/srv/tana"
    assert set(timer["Timer"]) == {"OnCalendar", "Persistent"}
    assert timer["Install"]["WantedBy"] == "timers.target"  # else it cannot be enabled
    assert len(starts) == 2
    for start in starts:
        assert run(committed, "env", *start.split()).code == 0


@pytest.mark.parametrize(
    ("option", "variable", "declared", "place"),
    [
        ("given.db", "variable.db", "declared.db", "here/given.db"),
        (None, "variable.db", "declared.db", "here/variable.db"),
        (None, "", "declared.db", "beside/declared.db"),
        (None, "", "/data/declared.db", "/data/declared.db"),
        ("off", "variable.db", "declared.db", None),
        (None, "off", "declared.db", None),
        (None, "", "off", None),
    ],
)
def test_the_first_place_that_is_given_decides(
    option: str | None,
    variable: str,
    declared: str,
    place: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv(VARIABLE, variable)
    found = location_of(option, declared, tmp_path / "beside")

    assert (found and found.target) == (place and str(tmp_path / place))


def test_without_a_word_the_data_folder_of_the_user_has_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    found = location_of(None, None, tmp_path)
    assert found is not None
    open_store(found).close()

    assert found.target.endswith("toolfold/usage.db")
    assert Path(found.target).exists()
