"""The retrieval gate: a tool's own prompt must find it."""

from pathlib import Path

import pytest

from tests.search.catalogs import manifest, tool
from tests.support.commands import toolfold
from tests.support.projects import Json, write_manifest

PROMPT = "who owes me money?"


def crowded(**more: object) -> Json:
    """A tool whose prompt six others answer better."""
    others = {f"money_{n}": tool("Who owes money, and how much money") for n in range(6)}
    return others | {"debtors": tool("Accounts receivable", **{"example": PROMPT} | more)}


def said(folder: Path, given: Json, *command: str) -> list[str]:
    write_manifest(folder, given)
    done = toolfold(folder, *command)
    return [str(done.code), *done.err.splitlines()]


def warnings_of(folder: Path, given: Json, *command: str) -> str:
    return "\n".join(said(folder, given, *command)[1:])


def test_generate_warns_with_the_rank_and_who_came_before(tmp_path: Path) -> None:
    warned = warnings_of(tmp_path, manifest(crowded()), "generate", "-q", "-v")

    assert "tools.debtors.example: warning: this prompt finds debtors at 7, after" in warned
    assert "money_0, money_1, money_2, money_3, money_4 and 1 more" in warned
    assert "say in its summary, description or tags what the prompt says" in warned


def test_a_prompt_that_finds_nothing_of_its_tool_says_so(tmp_path: Path) -> None:
    other = {"paint": tool("Paint a wall")}
    given = manifest(other | {"x": tool("X", example="latency:<5")})
    warned = warnings_of(tmp_path, given, "generate", "-q", "-v")

    assert "this prompt does not find x, but nothing" in warned


def test_check_is_strict_on_request_also_where_nothing_changed(tmp_path: Path) -> None:
    given = manifest(crowded())
    assert said(tmp_path, given, "generate", "-q")[0] == "0"

    for _ in range(2):  # the second time, the first is remembered
        assert said(tmp_path, given, "check")[0] == "0"
        code, *warned = said(tmp_path, given, "check", "--strict", "-v")
        assert code == "1"
        assert "this prompt finds debtors at 7" in "\n".join(warned)
    assert said(tmp_path, given, "check", "--strict", "--no-cache")[0] == "1"


@pytest.mark.parametrize(
    "mended",
    [
        {"description": "Tells who owes me money and how much money each owes"},
        {"tags": ["who owes me money", "money"], "title": "Who owes me money"},
    ],
)
def test_strict_check_passes_once_the_tool_says_what_the_prompt_says(
    tmp_path: Path, mended: Json
) -> None:
    given = manifest(crowded(**mended))
    assert said(tmp_path, given, "generate", "-q")[0] == "0"

    code, *notes = said(tmp_path, given, "check", "--strict", "-v")
    assert code == "0"
    assert "this prompt" not in "\n".join(notes)


def test_found_within_says_how_far_down_is_near_enough(tmp_path: Path) -> None:
    assert "finds debtors" in warnings_of(
        tmp_path, manifest(crowded(), found_within=6), "generate", "-v"
    )
    assert "finds debtors" not in warnings_of(
        tmp_path, manifest(crowded(), found_within=7), "generate", "-v"
    )
