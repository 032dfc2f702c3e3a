"""Budgets: a written one that is exceeded fails the build, a default one steers and warns."""

import json
import os
import pty
import sys
from pathlib import Path
from typing import Final

import pytest
from toolfold.commands.budget import budget_report

from tests.disclosure.catalogs import SHELF, changed, planned, sized
from tests.support.commands import process_environment, toolfold
from tests.support.processes import start
from tests.support.projects import Json, write_manifest
from tests.support.waiting import PATIENCE

LONG: Final = "A description that goes on and on about what this tool does. " * 40


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    done = toolfold(folder, *arguments)
    return done.code, done.out, done.err


def dear() -> Json:
    """The shelf with one tool whose schema costs far more than the default budget."""
    tools = SHELF["tools"] | {"dust": SHELF["tools"]["dust"] | {"description": LONG}}
    return SHELF | {"tools": tools}


@pytest.mark.parametrize(
    ("budget", "limit", "dearest"),
    [
        ("surface", 100, "surface"),
        ("capabilities", 10, "capabilities()"),
        ("overview", 10, "overview"),
        ("category", 20, "full"),
        ("schema", 60, "find_book"),
        ("hot", 20, "hot"),
    ],
)
def test_a_written_budget_that_is_exceeded_refuses_the_manifest(
    budget: str,
    limit: int,
    dearest: str,
    tmp_path: Path,
) -> None:
    path = write_manifest(tmp_path, changed(SHELF, budgets={budget: limit}))

    code, out, err = run(tmp_path, "generate", "-m", str(path))

    assert (code, out) == (1, "")
    assert f"disclosure.budgets.{budget}: {dearest}" in err
    assert f" tokens, the limit is {limit}\n" in err
    assert "shorten them or raise it" in err
    assert not (tmp_path / "generated").exists()


def test_the_budget_that_decides_between_exposures_limits_nothing(tmp_path: Path) -> None:
    plan = planned(tmp_path, changed(SHELF, budgets={"direct": 1}))

    assert plan.facts.exposure == "progressive"


def test_the_dearest_are_named_first_and_at_most_five(tmp_path: Path) -> None:
    manifest = sized(1, 9, budgets={"schema": 10})
    manifest["tools"]["tool_0x7"]["description"] = LONG

    _, _, err = run(tmp_path, "generate", "-m", str(write_manifest(tmp_path, manifest)))

    said = next(line for line in err.splitlines() if "over the limit" in line)
    assert said.strip().startswith("9 over the limit: tool_0x7 ")
    assert said.count("tool_0x") == 5


def test_a_default_budget_that_is_exceeded_refuses_nothing_and_warns(tmp_path: Path) -> None:
    code, _, err = run(tmp_path, "generate", "-v", "-m", str(write_manifest(tmp_path, dear())))

    assert code == 0
    assert "warning: dust costs " in err
    assert " 300" in err


def test_budgets_that_are_kept_warn_of_nothing(tmp_path: Path) -> None:
    code, _, err = run(tmp_path, "generate", "-v", "-m", str(write_manifest(tmp_path, SHELF)))

    assert (code, err) == (0, "")


@pytest.mark.parametrize(("each", "exposure"), [(3, "direct"), (60, "progressive")])
def test_generate_says_which_exposure_it_chose_and_what_each_costs(
    each: int, exposure: str, tmp_path: Path
) -> None:
    path = write_manifest(tmp_path, sized(4, each))
    report = budget_report(path)

    _, first, _ = run(tmp_path, "generate", "-m", str(path))
    _, again, _ = run(tmp_path, "generate", "-m", str(path))

    (said,) = [line for line in first.splitlines() if line.startswith("exposure: ")]
    assert said in again.splitlines()
    assert said.startswith(f"exposure: {exposure}")
    for cost in (report.direct, report.progressive):
        assert f"{cost:,}" in said or str(cost) in said


# toolfold budget


def test_budget_as_json_holds_every_view_tool_and_exposure(tmp_path: Path) -> None:
    code, out, err = run(
        tmp_path, "budget", "--format", "json", "-m", str(write_manifest(tmp_path, SHELF))
    )
    found = json.loads(out)

    assert (code, err) == (0, "")
    assert set(found) == {"unit", "exposure", "direct", "progressive", "costs"}
    assert (found["unit"], found["exposure"]) == ("o200k tokens", "direct")
    assert {tuple(cost) for cost in found["costs"]} == {
        ("name", "tokens", "budget", "category", "limit")
    }
    rows = {cost["name"]: cost for cost in found["costs"]}
    assert {"surface", "every tool listed", "capabilities() (full)"} <= set(rows)
    assert {"counts", "overview", "names", "summaries", "full", "hot"} <= set(rows)
    assert {"category books", "category care", *SHELF["tools"]} <= set(rows)
    assert found["direct"] == rows["every tool listed"]["tokens"]
    start = rows["surface"]["tokens"] + rows["capabilities() (full)"]["tokens"]
    assert found["progressive"] == start
    assert rows["find_book"]["limit"] == 300
    assert rows["overview"]["limit"] == 100


def test_budget_as_text_is_a_table_with_the_share_and_no_bars_off_a_terminal(
    tmp_path: Path,
) -> None:
    path = write_manifest(tmp_path, dear())
    report = budget_report(path)

    code, out, err = run(tmp_path, "budget", "-m", str(path))

    assert (code, err) == (0, "")
    assert "█" not in out
    lines = out.splitlines()
    assert lines[0].split() == ["o200k", "tokens", "cost", "budget"]
    surface = next(cost.tokens for cost in report.costs if cost.name == "surface")
    assert lines[1].split() == ["surface", str(surface), "350"]
    over = [line.split()[0] for line in lines if line.endswith(" over")]
    assert "dust" in over
    assert f"every tool listed: {report.direct:,}" in lines
    share = report.progressive / report.direct
    assert f"meta-tools and inventory: {report.progressive:,} ({share:.1%} of that)" in lines
    assert lines[-1] == "exposure: direct"


def test_budget_on_a_terminal_shows_a_bar_per_row(tmp_path: Path) -> None:
    path = write_manifest(tmp_path, SHELF)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "toolfold", "budget", "-m", str(path)]
    with Path(os.devnull).open("r+", encoding="utf-8") as nothing:
        process = start(command, None, process_environment(), (nothing, theirs, nothing))
    os.close(theirs)
    out = b""
    try:
        while part := os.read(ours, 65536):
            out += part
    except OSError:
        pass  # the other side is closed: everything was read
    os.close(ours)

    assert process.wait(PATIENCE) == 0
    rows = out.decode().split("\r\n")
    surface = next(row for row in rows if row.startswith("surface"))
    assert "█" * 20 in surface
    assert "█" not in rows[0]


def test_budget_of_a_refused_manifest_says_why(tmp_path: Path) -> None:
    path = write_manifest(tmp_path, changed(SHELF, budgets={"schema": 60}))

    code, out, err = run(tmp_path, "budget", "-m", str(path))

    assert (code, out) == (1, "")
    assert "disclosure.budgets.schema: find_book costs " in err


def test_budget_without_a_manifest_is_wrong_use(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, "budget", "-m", str(tmp_path / "tools.yaml"))

    assert (code, out) == (2, "")
    assert "no such file" in err
