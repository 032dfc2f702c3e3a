"""Errors an agent can act on: every stable code, with the exact text that is sent."""

from typing import Any, Final, get_args

import pytest
from toolfold_runtime import ToolError
from toolfold_runtime.contract.vocabulary import Code

from tests.disclosure.catalogs import SHELF, Shelf, changed, sized
from tests.support.clients import ERAS, Era, call
from tests.support.projects import Json, Project, project


class Failing(Shelf):
    """Fails in every way that a method can."""

    def find_book(self, params: Any) -> Any:
        return 7

    def move_book(self, params: Any) -> str:
        raise ToolError(params.book, "said by the author.")

    def burn_book(self, params: Any) -> Any:
        return object()

    def dust(self, params: Any) -> str:
        raise OSError("/home/me/secret")


#: Tool, arguments, and all that the agent reads.
TEXTS: Final[list[tuple[str, Json, str]]] = [
    (
        "fnd_book",
        {},
        'unknown_tool: no tool "fnd_book". Nearest: find_book, burn_book, move_book.'
        " All: find_book, move_book, burn_book, dust.",
    ),
    (
        "zzz",
        {},
        'unknown_tool: no tool "zzz". All: find_book, move_book, burn_book, dust.',
    ),
    (
        "run_read",
        {"tool": "dusty"},
        'unknown_tool: no tool "dusty". Nearest: dust. All: find_book, move_book, burn_book, dust.',
    ),
    (
        "tool_schema",
        {"tool": "dust, fnd_book"},
        'unknown_tool: no tool "fnd_book". Nearest: find_book, burn_book, move_book.'
        " All: find_book, move_book, burn_book, dust.",
    ),
    (
        "tool_schema",
        {"tool": " , "},
        "unknown_tool: no tool was named. Pass its name as `tool`.",
    ),
    (
        "capabilities",
        {"category": "bokks"},
        'unknown_category: no category "bokks". Nearest: books. All: books, care.',
    ),
    (
        "find_book",
        {"limit": 99, "titel": "dune"},
        "invalid_arguments: invalid arguments for find_book:\n"
        "- title: missing\n"
        "- limit: 99 is greater than the maximum of 50\n"
        '- titel: unknown, did you mean "title"?\n'
        "signature: find_book(title: str, limit: int = 5) -> list[str]\n"
        'valid call: find_book({"title":"dune"})',
    ),
    (
        "run_write",
        {"tool": "move_book", "arguments": {"book": 7}},
        "invalid_arguments: invalid arguments for move_book:\n"
        "- book: expected string, got integer 7\n"
        "signature: move_book(book: str)\n"
        'valid call: run_write({"tool":"move_book","arguments":{"book":"<book>"}})',
    ),
    (
        "run_read",
        {},
        'invalid_arguments: run_read needs a tool: run_read({"tool": "NAME", "arguments": {}}).',
    ),
    (
        "run_read",
        {"tool": "find_book", "arguments": "title=dune"},
        'invalid_arguments: run_read: arguments: expected object, got string "title=dune".',
    ),
    (
        "capabilities",
        {"page": 9},
        "invalid_arguments: no page 9: this view has 1.",
    ),
    (
        "capabilities",
        {"category": "books", "detail": "hot"},
        "invalid_arguments: no detail of a category 'hot'. One of: names, summaries, full.",
    ),
    (
        "capabilities",
        {"category": 7},
        "invalid_arguments: capabilities: category: expected string, got integer 7."
        " Parameters: category, detail, page, format.",
    ),
    (
        "search_tools",
        {},
        "invalid_arguments: search_tools: query: missing. Parameters: query, limit.",
    ),
    (
        "tool_schema",
        {"tool": "dust", "detail": "fulll"},
        'invalid_arguments: tool_schema: detail: "fulll" is not one of "summary", "schema",'
        ' "full", did you mean "full"? Parameters: tool, detail.',
    ),
    (
        "find_book",
        {"title": "dune"},
        "invalid_result: find_book returned a result that breaks its own schema;"
        " its author must fix it.",
    ),
    ("burn_book", {}, "invalid_result: burn_book returned what is not JSON."),
    (
        "run_read",
        {"tool": "dust"},
        "effect_refused: dust has the effect write; run_read does not run such tools."
        " Use run_write.",
    ),
    (
        "run_read",
        {"tool": "burn_book"},
        "effect_refused: burn_book has the effect destructive; run_read does not run such tools."
        " Use run_write.",
    ),
    (
        "run_write",
        {"tool": "run_write"},
        "effect_refused: run_write is a meta-tool; call it by its own name.",
    ),
    ("dust", {}, "backend_failed: dust failed with OSError; the server's log says why."),
    ("move_book", {"book": "timeout"}, "timeout: said by the author."),
    ("move_book", {"book": "budget_exceeded"}, "budget_exceeded: said by the author."),
    # In the runtime's own words: tests/callers.
    ("move_book", {"book": "forbidden"}, "forbidden: said by the author."),
    ("move_book", {"book": "unconfirmed"}, "unconfirmed: said by the author."),
    # In the runtime's own words: tests/code.
    ("move_book", {"book": "invalid_program"}, "invalid_program: said by the author."),
    ("move_book", {"book": "program_failed"}, "program_failed: said by the author."),
    # In the runtime's own words: tests/upstream.
    ("move_book", {"book": "definition_changed"}, "definition_changed: said by the author."),
]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("shelf"), SHELF)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("tool", "arguments", "text"), TEXTS)
def test_an_error_says_exactly_what_went_wrong_and_what_to_do(
    tool: str, arguments: Json, text: str, era: Era, shelf: Project
) -> None:
    answer = call(shelf.server("progressive", Failing()), tool, arguments, era)

    assert answer.is_error
    assert answer.structured is None
    assert answer.text == text


def test_every_stable_code_has_a_text() -> None:
    assert {text.split(":")[0] for _, _, text in TEXTS} == set(get_args(Code))


def test_a_tool_without_implementation_says_that_it_is_only_described(shelf: Project) -> None:
    assert call(shelf.server(), "dust").text == (
        "backend_failed: dust has no implementation here: the server only describes it."
    )


def test_a_tool_whose_method_is_missing_says_so(shelf: Project) -> None:
    assert call(shelf.server(implementation=object()), "dust").text == (
        "backend_failed: dust is not implemented by the server."
    )


def test_an_empty_search_says_so_and_what_to_try(shelf: Project) -> None:
    answer = call(shelf.server("progressive"), "search_tools", {"query": "zebra"})

    assert answer.text == (
        "no tool matches 'zebra': none has these words. Try other words, or capabilities() for"
        " the inventory."
    )


def test_an_unknown_tool_of_a_large_catalog_is_answered_with_the_nearest_alone(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    made = project(tmp_path_factory.mktemp("large"), sized(2, 60))
    text = call(made.server(), "tool_1x5z").text

    assert text.startswith('unknown_tool: no tool "tool_1x5z". Nearest: tool_1x5')
    assert len(text) < 200


def test_a_word_that_is_none_of_the_allowed_is_answered_with_all_of_them(shelf: Project) -> None:
    text = call(shelf.server("progressive"), "capabilities", {"detail": "everything"}).text

    assert text.startswith("invalid_arguments: ")
    for allowed in ("counts", "overview", "names", "summaries", "full", "hot"):
        assert allowed in text, text


def test_a_word_that_a_tool_does_not_allow_is_answered_with_all_that_it_does(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    colours = ["red", "green", "blue", "black", "white", "grey", "pink"]
    tool = {
        "category": "all",
        "effect": "write",
        "summary": "Paint",
        "parameters": {"colour": {"enum": colours, "required": True}},
    }
    manifest = {
        "toolfold": 1,
        "server": {"name": "paint", "version": "1"},
        "categories": {"all": {}},
        "tools": {"paint": tool},
    }
    made = project(tmp_path_factory.mktemp("paint"), manifest)

    class Painter:
        def paint(self, params: Any) -> str:
            return "painted"

    text = call(made.server(implementation=Painter()), "paint", {"colour": "mauve"}).text

    assert [colour for colour in colours if colour not in text] == [], text


def test_every_name_that_the_inventory_shows_has_a_schema(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    placed = {"capabilities": {"category": "care"}, "schema": {"category": "care"}}
    made = project(tmp_path_factory.mktemp("placed"), changed(SHELF, meta=placed))
    server = made.server("progressive")
    shown = call(server, "capabilities", {"detail": "names"}).text
    assert '"dust","capabilities","tool_schema"' in shown

    for name in (*SHELF["tools"], "capabilities", "tool_schema"):
        answer = call(server, "tool_schema", {"tool": name})
        assert not answer.is_error, answer.text
