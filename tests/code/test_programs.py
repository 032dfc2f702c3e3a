"""Programs through a real client: what they are answered, and what their calls are."""

import json
from typing import Any, Final

import pytest

from tests.code.conftest import Run
from tests.support import clients
from tests.support.clients import Era
from tests.support.servers import Listening

OPEN: Final = 'rows = find_orders(state="open", limit=40)\n'


def value(text: str) -> Any:
    return json.loads(text)


def test_the_last_expression_is_the_answer(server: Listening, era: Era) -> None:
    code = OPEN + 'sum(row["total"] for row in rows)'
    answer = clients.call(server.url, "run_code", {"code": code}, era)

    assert (answer.text, answer.is_error) == ('{"result":600.0,"calls":1}', False)


def test_a_program_may_return_what_it_found(run: Run) -> None:
    assert run('return find_orders(limit=1)[0]["id"]').text == '{"result":"A-0","calls":1}'


def test_what_is_printed_is_part_of_the_answer(run: Run) -> None:
    answer = run('for order in find_orders(limit=2):\n    print(order["id"])')

    assert value(answer.parts[0]) == {"printed": "A-0\nA-1", "calls": 1}


def test_a_program_that_says_nothing_is_told_how_to(run: Run) -> None:
    assert run("rows = 3").parts == ("{}", "no value: make the last line an expression, or print")


def test_names_that_are_none_in_python_are_encoded(run: Run) -> None:
    answer = run('[get_order(order_id="A-3", from_="here")["id"], list_()]')

    assert value(answer.text) == {"result": ["A-3", 7], "calls": 2}


def test_a_tool_may_be_passed_on_and_called_later(run: Run) -> None:
    answer = run("find = find_orders\nlen([find(limit=n) for n in range(1, 4)])")

    assert value(answer.text) == {"result": 3, "calls": 3}


def test_values_go_in_and_out_as_json(run: Run) -> None:
    sent = '{"a": [1, 2.5, None, True], "ü": "\\"quoted\\" \\n line", "deep": {"x": []}}'

    assert value(run(f"echo(value={sent})").text)["result"] == {
        "a": [1, 2.5, None, True],
        "ü": '"quoted" \n line',
        "deep": {"x": []},
    }


def test_tuples_sets_dates_and_records_become_json(run: Run) -> None:
    code = """
from dataclasses import dataclass
from collections import Counter
import datetime

@dataclass
class Row:
    id: str
    n: int

[(1, 2), {3}, datetime.date(2026, 11, 2), Row(id="a", n=1), Counter("aab"), {2026: 1}]
"""
    assert value(run(code).text)["result"] == [
        [1, 2],
        [3],
        "2026-11-02",
        {"id": "a", "n": 1},
        {"a": 2, "b": 1},
        {"2026": 1},
    ]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("float('nan')", "result is nan, which is no JSON; use None"),
        (
            "[1, b'x']",
            "result.1 is of type bytes, which is no JSON; make it a dict, a list or text",
        ),
        ("{(1, 2): 3}", "result has a key that is of type tuple; JSON's keys are text"),
        ("print", "result is print, which is no JSON"),
        ("class A:\n    pass\nA()", "result is an object of class A, which is no JSON"),
        ("a = []\nfor i in range(200): a = [a]\na", "has more than 100 levels; flatten it"),
        ("a = []\nfor i in range(60): a = [a, a]\na", "result has more than 50,000 values"),
        ("10**5000", "result is a number of too many digits; write it as text"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(code: str, reason: str, run: Run) -> None:
    answer = run(code)

    assert answer.is_error
    assert answer.text.startswith("program_failed: ")
    assert reason in answer.text


def test_a_list_that_holds_itself_is_cut_short(run: Run) -> None:
    assert value(run("a = [1]\na.append(a)\na").text)["result"] == [1, "[...]"]


def test_a_long_value_is_truncated_and_read_on(call: Run) -> None:
    first = call("run_code", {"code": "many(count=400)"})
    beginning, note = first.parts
    shown = value(beginning)["result"]
    cursor = note.partition('"cursor":"')[2].partition('"')[0]
    rest = call("run_read", {"tool": "run_code", "cursor": cursor})

    assert f"left out: result: {400 - len(shown)} of 400 items" in note
    assert value(rest.parts[0])["result"][0] == f"item {len(shown)}"


def test_printed_text_is_bounded(run: Run) -> None:
    printed = value(run("for n in range(10_000): print('x' * 100)").parts[0])["printed"]

    assert printed.endswith("… (1,008,800 more characters)")


def test_an_error_of_a_tool_is_an_exception_with_its_code(run: Run) -> None:
    code = 'try:\n    get_order(order_id="Z")\nexcept RuntimeError as error:\n    found = str(error)\nfound'

    assert value(run(code).text)["result"] == "not_found: no order has this id."


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            'find_orders()\nget_order(order_id="Z")',
            'not_found: no order has this id.\nline 2: get_order(order_id="Z")\ncalls made: 2',
        ),
        ("1 / 0", "program_failed: ZeroDivisionError: division by zero\nline 1: 1 / 0"),
        (
            "print('here')\nfind_orders(limit=3)[7]",
            "program_failed: IndexError: list index out of range\n"
            "line 2: find_orders(limit=3)[7]\ncalls made: 1\nprinted: here",
        ),
        (
            "fails()",
            "backend_failed: fails failed with OSError; the server's log says why.\n"
            "line 1: fails()\ncalls made: 1",
        ),
        (
            "max(['A-1'], key=lambda id: get_order(order_id=id)['total'])",
            "program_failed: NotImplementedError: a tool cannot be called within map, sorted or max;"
            " call it in a loop before\n"
            "line 1: max(['A-1'], key=lambda id: get_order(order_id=id)['total'])",
        ),
        (
            "[\n    get_order(\n        order_id='Z',\n    )\n]",
            "not_found: no order has this id.\nline 2: get_order(\ncalls made: 1",
        ),
        (
            "rows = 1\r\nget_order(order_id='Z')\r\n",
            "not_found: no order has this id.\nline 2: get_order(order_id='Z')\ncalls made: 1",
        ),
        (
            "next(row for row in [1, 2])",
            "program_failed: TypeError: 'list' object is not an iterator; generators are lists here,"
            " so write next(iter(…))\nline 1: next(row for row in [1, 2])",
        ),
        (
            "cancels()",
            "backend_failed: cancels failed with CancelledError; the server's log says why.\n"
            "line 1: cancels()\ncalls made: 1",
        ),
        (
            "fails_in_half()",
            "odd: half a ?\nline 1: fails_in_half()\ncalls made: 1",
        ),
        (
            "breaks_its_promise()",
            "invalid_result: breaks_its_promise returned a result that breaks its own schema;"
            " its author must fix it.\nline 1: breaks_its_promise()\ncalls made: 1",
        ),
    ],
)
def test_what_fails_is_answered_with_line_and_source(code: str, text: str, run: Run) -> None:
    answer = run(code)

    assert (answer.text, answer.is_error) == (text, True)


def test_arguments_are_validated_as_in_any_call(run: Run) -> None:
    answer = run("n = int('0')\nfind_orders(limit=n)")

    assert "invalid_arguments: invalid arguments for find_orders:" in answer.text
    assert "limit: 0 is less than the minimum of 1" in answer.text
    assert "line 2: find_orders(limit=n)" in answer.text


def test_an_image_is_described_in_words(run: Run) -> None:
    assert value(run("picture()").text)["result"].startswith("image/png, ")


def test_a_fence_around_a_program_is_no_part_of_it(run: Run) -> None:
    assert value(run("```python\nlist_()\n```").text)["result"] == 7


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, 'invalid_arguments: run_code needs a program: run_code({"code": "…"}).'),
        ({"code": " "}, 'invalid_arguments: run_code needs a program: run_code({"code": "…"}).'),
        ({"code": 7}, 'invalid_arguments: run_code needs a program: run_code({"code": "…"}).'),
        (
            {"code": "1" * 100_001},
            "invalid_arguments: run_code: code has more than 100,000 characters; write a shorter program.",
        ),
    ],
)
def test_what_is_no_program_is_refused(given: Any, text: str, call: Run) -> None:
    assert call("run_code", given).text == text


def test_an_unknown_parameter_is_warned_about(call: Run) -> None:
    answer = call("run_code", {"code": "list_()", "timeout": 5})

    assert answer.parts[1] == "warning: ignored unknown parameters: timeout"


def test_a_program_that_reads_is_marked_as_such(server: Listening) -> None:
    listed = {tool.name: tool for tool in clients.listed(server.url)}
    hints = [listed[name].annotations for name in ("run_code", "run_code_write")]

    assert [hint and hint.read_only_hint for hint in hints] == [True, False]
