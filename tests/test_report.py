"""Problems in the three forms that people, machines and GitHub read."""

import json
from dataclasses import replace

import pytest
from toolfold.errors import ManifestError, Place, Problem, Severity, Source
from toolfold.report import machine_report, report


def problem(
    text: str = "a: b\nc: d\n",
    line: int = 2,
    column: int = 4,
    *,
    fact: str = 'unknown category "d"',
    hint: str = 'did you mean "e"?',
    severity: Severity = "error",
    name: str = "tools.yaml",
) -> Problem:
    return Problem(Place(Source(name, text), line, column), "c", fact, hint, severity, "rule")


def test_text_shows_place_path_fact_frame_and_way_out() -> None:
    assert report([problem()]).splitlines() == [
        'tools.yaml:2:4: c: unknown category "d"',
        "  2 | c: d",
        "    |    ^",
        '  did you mean "e"?',
    ]


def test_text_says_when_a_problem_is_only_a_warning() -> None:
    said = report([problem(severity="warning")])

    assert said.startswith('tools.yaml:2:4: c: warning: unknown category "d"')


def test_text_has_no_frame_where_the_file_has_no_such_line() -> None:
    assert report([problem(text="", line=1, column=1)]).splitlines() == [
        'tools.yaml:1:1: c: unknown category "d"',
        '  did you mean "e"?',
    ]


@pytest.mark.parametrize("hostile", ["\x1b[31m", "\x07", "\r", "\x9b2J", "\u202e", "\u2028"])
def test_text_cannot_move_or_colour_a_terminal(hostile: str) -> None:
    said = report([problem(text=f"c: {hostile}x", line=1, fact=hostile, hint=hostile)])

    assert hostile not in said


def test_mark_stands_under_its_character_after_one_that_is_shown_escaped() -> None:
    lines = report([problem(text="c:\x1b d", line=1, column=5)]).splitlines()

    assert lines[1].index("d") == lines[2].index("^")


@pytest.mark.parametrize("column", [1, 60, 61, 62, 150, 1000])
def test_mark_stands_under_its_character_in_a_long_line(column: int) -> None:
    text = "." * (column - 1) + "X" + "." * 500
    lines = report([problem(text=text, line=1, column=column)]).splitlines()

    assert lines[1].index("X") == lines[2].index("^")
    assert len(lines[1]) < 120


def test_a_line_that_fits_is_shown_whole() -> None:
    text = "tools: {one: {category: all, effect: read, summary: One, related: [two]}}"
    lines = report([problem(text=text, line=1, column=68)]).splitlines()

    assert lines[1] == f"  1 | {text}"


def test_json_has_every_part_by_name() -> None:
    assert json.loads(machine_report([problem()], [], "json")) == [
        {
            "file": "tools.yaml",
            "line": 2,
            "column": 4,
            "path": "c",
            "severity": "error",
            "code": "rule",
            "fact": 'unknown category "d"',
            "hint": 'did you mean "e"?',
        }
    ]


def test_a_stub_is_the_hint_for_machines_and_not_in_the_text() -> None:
    lacking = replace(problem(hint=""), stub="    def find(self): ...\n")

    assert "def find" not in report([lacking])
    assert json.loads(machine_report([lacking], [], "json"))[0]["hint"] == lacking.stub
    assert machine_report([lacking], [], "github").endswith("%0A    def find(self): ...%0A")


def test_json_of_no_problems_is_an_empty_list() -> None:
    assert json.loads(machine_report([], [], "json")) == []


def test_github_gets_one_annotation_per_line() -> None:
    assert machine_report(
        [problem(), problem(severity="warning", hint="")], [], "github"
    ).splitlines() == [
        '::error file=tools.yaml,line=2,col=4,title=toolfold::c: unknown category "d"%0Adid you mean "e"?',
        '::warning file=tools.yaml,line=2,col=4,title=toolfold::c: unknown category "d"',
    ]


def test_github_annotation_cannot_be_ended_by_what_it_says() -> None:
    hostile = problem(fact="100%\r\n::error::forged", name="a,b:c%.yaml")

    said = machine_report([hostile], [], "github")

    assert said.count("\n") == 0
    assert "\r" not in said
    assert "100%25%0D%0A::error::forged" in said
    assert "file=a%2Cb%3Ac%25.yaml," in said


def test_problems_come_in_file_order_and_each_once() -> None:
    first, second = Source("tools.yaml", "", 1), Source("more.yaml", "", 2)
    places = [Place(second, 1, 1), Place(first, 9, 2), Place(first, 9, 1), Place(first, 2, 7)]
    problems = [Problem(place, "", "x") for place in [*places, *places]]

    assert [str(p.place) for p in ManifestError(problems).problems] == [
        "tools.yaml:2:7",
        "tools.yaml:9:1",
        "tools.yaml:9:2",
        "more.yaml:1:1",
    ]
