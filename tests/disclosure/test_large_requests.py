"""Requests of megabytes, and arguments that are no JSON: a short answer, soon, that says what to do."""

import importlib
import time
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from toolfold_runtime import ToolError
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.errors import unknown
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.execute import Executor

from tests.disclosure.catalogs import SHELF, Baked, Shelf, changed, sized
from tests.support.clients import call
from tests.support.projects import Json, Project, project

MEGABYTES: Final = 2_800_000
LONG: Final = "x" * MEGABYTES
# Seconds of this thread; what these requests cost before was more, and grew with their length.
MOST_SECONDS: Final = 0.4
MOST_CHARACTERS: Final = 2_000


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("shelf"), changed(SHELF, exposure="progressive"))


@pytest.fixture(scope="module")
def dispatcher(shelf: Project) -> Dispatcher:
    shelf.server()  # which makes the package importable
    server = importlib.import_module(f"{shelf.package}.server")
    executor = Executor(server.CATALOG, backend_of(server.CATALOG, Shelf()))
    return Dispatcher(server.CATALOG, server.META_TOOLS, executor)


def answer(dispatcher: Dispatcher, tool: str, arguments: Json) -> tuple[str, float]:
    """All that a client would read, and the seconds that nobody else was served."""

    async def ask() -> tuple[str, float]:
        before = time.thread_time()
        try:
            text = "\n".join((await dispatcher.call(tool, arguments)).texts)
        except ToolError as error:
            text = str(error)
        return text, time.thread_time() - before

    return anyio.run(ask)


TITLE: Final[Json] = {"tool": "find_book", "arguments": {"title": "dune"}}
#: A request, and how the answer begins.
LARGE: Final[dict[str, tuple[str, Json, str]]] = {
    "a tool's name": (LONG, {}, 'unknown_tool: no tool "xxx'),
    "a name to look up": ("tool_schema", {"tool": LONG}, 'unknown_tool: no tool "xxx'),
    "a name behind a known one": (
        "tool_schema",
        {"tool": f"dust,{LONG}"},
        'unknown_tool: no tool "xxx',
    ),
    "commas": ("tool_schema", {"tool": "," * MEGABYTES}, "invalid_arguments: 2,800,001 names"),
    "blanks": (
        "tool_schema",
        {"tool": " " * MEGABYTES},
        "unknown_tool: no tool was named. Pass its name as `tool`.",
    ),
    "unknown names": (
        "tool_schema",
        {"tool": ",".join(map(str, range(300_000)))},
        "budget_exceeded: too many tools at once. Name at most 200.",
    ),
    "one name again and again": (
        "tool_schema",
        {"tool": "find_book, " * (MEGABYTES // 11)},
        '{"name":"find_book"',
    ),
    "a detail": ("tool_schema", {"tool": "dust", "detail": LONG}, "invalid_arguments: tool_sch"),
    "a category": ("capabilities", {"category": LONG}, 'unknown_category: no category "xxx'),
    "a page": ("capabilities", {"page": 10**4000}, "invalid_arguments: no page 1000"),
    "a parameter": ("capabilities", {LONG: 1}, "{"),
    "parameters": ("capabilities", {f"p{n}": n for n in range(200_000)}, "{"),
    "a query": ("search_tools", {"query": LONG}, "no tool matches 'xxx"),
    "a query of words": ("search_tools", {"query": "dune " * 500_000}, "find_book(title"),
    "a query of an identifier": ("search_tools", {"query": "_" * MEGABYTES}, "no tool matches '__"),
    "a query of sentences": ("search_tools", {"query": "a. dune. " * 222}, "find_book(title"),
    "a query of quotes": ("search_tools", {"query": '"' * MEGABYTES}, 'no tool matches \'"""'),
    "a query without words": ("search_tools", {"query": "-dune " * 333}, "burn_book("),
    "a query that grows": ("search_tools", {"query": "\ufdfa" * 1_000_000}, "no tool matches"),
    "a limit": ("search_tools", {"query": "book", "limit": 10**4000}, "move_book("),
    "a tool to run": ("run_read", {"tool": LONG}, 'unknown_tool: no tool "xxx'),
    "a field": ("run_read", TITLE | {"fields": LONG}, "invalid_arguments: run_read: fields: mor"),
    "fields": ("run_read", TITLE | {"fields": ["f"] * 500_000}, "invalid_arguments: run_read: fi"),
    "a cursor": ("run_read", TITLE | {"cursor": LONG}, "invalid_arguments: no such cursor"),
    "arguments as text": (
        "run_read",
        {"tool": "find_book", "arguments": LONG},
        'invalid_arguments: run_read: arguments: expected object, got string "xxx',
    ),
    "parameters of a runner": (
        "run_read",
        TITLE | {f"p{n}": n for n in range(200_000)},
        '["dune x5"]',
    ),
}


@pytest.mark.parametrize("case", LARGE)
def test_a_request_of_megabytes_is_answered_briefly_and_soon(
    case: str, dispatcher: Dispatcher
) -> None:
    tool, arguments, start = LARGE[case]
    text, seconds = answer(dispatcher, tool, arguments)

    assert text.startswith(start), text[:200]
    assert len(text) < MOST_CHARACTERS
    assert seconds < MOST_SECONDS


def test_a_typo_among_thousands_of_tools_is_answered_soon() -> None:
    names = [f"{verb}_the_{n}th_page" for verb in ("get", "list", "make") for n in range(3_000)]
    before = time.thread_time()
    error = unknown("unknown_tool", "tool", "gett_the_777th_pgae", names)

    assert time.thread_time() - before < MOST_SECONDS / 2
    assert "Nearest: get_the_777th_page," in error.text


# Tools by name


def test_a_name_that_is_repeated_counts_once(shelf: Project) -> None:
    once = call(shelf.server(), "tool_schema", {"tool": "dust,find_book"}).text

    assert call(shelf.server(), "tool_schema", {"tool": "dust, find_book,dust ,,"}).text == once


def test_schemas_that_are_too_much_to_send_are_refused(tmp_path: Path) -> None:
    catalog = Baked(tmp_path, sized(1, 2)).catalog
    (file,) = (catalog.folder / "categories").iterdir()
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace('{"summary":"', '{"summary":"' + "x" * 9_000_000), encoding="utf-8"
    )

    with pytest.raises(ToolError) as caught:
        catalog.details("tool_0x0,tool_0x1", "summary")

    assert str(caught.value) == (
        "budget_exceeded: what was asked for has more than 16,000,000 bytes, the most that is"
        " sent. Name fewer tools."
    )
    assert len(catalog.details("tool_0x0,tool_0x0", "summary")) > 9_000_000


@pytest.mark.parametrize("number", [2, 2.0])
def test_a_whole_number_with_a_point_is_that_number(number: float, shelf: Project) -> None:
    found = call(shelf.server(), "search_tools", {"query": "book", "limit": number})

    assert not found.is_error
    assert found.text.count("_book(") == 2


# Arguments that are no JSON

DIGITS: Final = "has a number of too many digits; send a shorter one."
DEEP: Final = "has more than 250 levels; send a flatter value."
HALF: Final = '"\ud800" has half of a surrogate pair; send the whole character.'
NUMBER: Final = "is no JSON; send a number, or null where that is allowed."
#: The arguments of a tool as text, and what is wrong with them.
TEXTS: Final[dict[str, tuple[str, str]]] = {
    "half a character": ('{"title": "\\ud800"}', f"arguments.title: {HALF}"),
    "half a name": ('{"\\ud800": "x"}', f"arguments: the name {HALF}"),
    "half of a pair within": ('{"title": ["a", "\\udfff"]}', "arguments.title.1: "),
    "500 levels": ('{"title": ' + "[" * 500 + "]" * 500 + "}", f"arguments: {DEEP}"),
    "100,000 levels": ('{"title": ' + "[" * 100_000 + "]" * 100_000 + "}", f"arguments: {DEEP}"),
    "NaN": ('{"title": "x", "limit": NaN}', f"arguments.limit: NaN {NUMBER}"),
    "infinity": ('{"title": "x", "limit": -Infinity}', f"arguments.limit: -Infinity {NUMBER}"),
    "too large": ('{"title": "x", "limit": 1e999}', f"arguments.limit: Infinity {NUMBER}"),
    "digits": ('{"title": "x", "limit": ' + "9" * 100_000 + "}", f"arguments: {DIGITS}"),
    "a list": ('["dune"]', 'run_read: arguments: expected object, got string "['),
    "a number": ("5", 'run_read: arguments: expected object, got string "5"'),
    "no JSON": ("{title: dune}", 'run_read: arguments: expected object, got string "{title'),
    "wrong types": ('{"title": 5}', "invalid arguments for find_book:\n- title: expected string"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text_that_spells_no_arguments_is_invalid(case: str, dispatcher: Dispatcher) -> None:
    given, words = TEXTS[case]
    text, _ = answer(dispatcher, "run_read", {"tool": "find_book", "arguments": given})

    assert text.startswith(f"invalid_arguments: {words}")
    assert len(text) < MOST_CHARACTERS


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("find_book", {"title": "\ud800"}, f"title: {HALF}"),
        ("find_book", {"title": nested(500)}, f"title: {DEEP}"),
        ("find_book", {"title": "x", "limit": float("nan")}, f"limit: NaN {NUMBER}"),
        ("run_read", {"tool": "find_book", "arguments": {"x": nested(900)}}, f"arguments: {DEEP}"),
        ("run_read", {"tool": "\ud800"}, f"tool: {HALF}"),
        ("capabilities", {"\ud800": 1}, f"arguments: the name {HALF}"),
        ("search_tools", {"query": "\ud800"}, f"query: {HALF}"),
    ],
)
def test_values_that_json_cannot_say_are_invalid(
    tool: str, arguments: Json, words: str, dispatcher: Dispatcher
) -> None:
    text, _ = answer(dispatcher, tool, arguments)

    assert text == f"invalid_arguments: {words}"


def test_of_two_arguments_of_one_name_the_last_counts(dispatcher: Dispatcher) -> None:
    given = {"tool": "find_book", "arguments": '{"title": "a", "title": "b"}'}

    assert answer(dispatcher, "run_read", given)[0] == '["b x5"]'
