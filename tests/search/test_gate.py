"""The retrieval gate: a tool's own prompt must find it."""

from pathlib import Path

import pytest
from toolfold.cli.main import main

from tests.disclosure.catalogs import Json, written
from tests.search.catalogs import manifest, tool

PROMPT = "who owes me money?"


def crowded(**more: object) -> Json:
    """A tool whose prompt six others answer better."""
    others = {f"money_{n}": tool("Who owes money, and how much money") for n in range(6)}
    return others | {"debtors": tool("Accounts receivable", **{"example": PROMPT} | more)}


def said(folder: Path, given: Json, capsys: pytest.CaptureFixture[str], *command: str) -> list[str]:
    code = main([*command, "-m", str(written(folder, given))])
    return [str(code), *capsys.readouterr().err.splitlines()]


def warnings_of(
    folder: Path, given: Json, capsys: pytest.CaptureFixture[str], *command: str
) -> str:
    return "\n".join(said(folder, given, capsys, *command)[1:])


def test_generate_warns_with_the_rank_and_who_came_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warned = warnings_of(tmp_path, manifest(crowded()), capsys, "generate", "-q", "-v")

    assert "tools.debtors.example: warning: this prompt finds debtors at 7, after" in warned
    assert "money_0, money_1, money_2, money_3, money_4 and 1 more" in warned
    assert "say in its summary, description or tags what the prompt says" in warned


def test_a_prompt_that_finds_nothing_of_its_tool_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {"paint": tool("Paint a wall")}
    given = manifest(other | {"x": tool("X", example="latency:<5")})
    warned = warnings_of(tmp_path, given, capsys, "generate", "-q", "-v")

    assert "this prompt does not find x, but nothing" in warned


def test_check_is_strict_on_request_also_where_nothing_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = manifest(crowded())
    assert said(tmp_path, given, capsys, "generate", "-q")[0] == "0"

    for _ in range(2):  # the second time, the first is remembered
        assert said(tmp_path, given, capsys, "check")[0] == "0"
        code, *warned = said(tmp_path, given, capsys, "check", "--strict", "-v")
        assert code == "1"
        assert "this prompt finds debtors at 7" in "\n".join(warned)
    assert said(tmp_path, given, capsys, "check", "--strict", "--no-cache")[0] == "1"


@pytest.mark.parametrize(
    "mended",
    [
        {"description": "Tells who owes me money and how much money each owes"},
        {"tags": ["who owes me money", "money"], "title": "Who owes me money"},
    ],
)
def test_strict_check_passes_once_the_tool_says_what_the_prompt_says(
    tmp_path: Path, mended: Json, capsys: pytest.CaptureFixture[str]
) -> None:
    given = manifest(crowded(**mended))
    assert said(tmp_path, given, capsys, "generate", "-q")[0] == "0"

    code, *notes = said(tmp_path, given, capsys, "check", "--strict", "-v")
    assert code == "0"
    assert "this prompt" not in "\n".join(notes)


def test_found_within_says_how_far_down_is_near_enough(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "finds debtors" in warnings_of(
        tmp_path, manifest(crowded(), found_within=6), capsys, "generate", "-v"
    )
    assert "finds debtors" not in warnings_of(
        tmp_path, manifest(crowded(), found_within=7), capsys, "generate", "-v"
    )
