"""`disclosure.arguments: json`: runners for clients that close every object."""

import json
from typing import Any, Final

import pytest

from tests.disclosure.catalogs import SHELF, Shelf, changed, listed_tokens
from tests.support.clients import Answer, call, listed
from tests.support.projects import Json, Project, project

RUNNERS: Final = ("run_read", "run_write")


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Project:
    manifest = changed(SHELF, arguments="json", exposure="progressive")
    return project(tmp_path_factory.mktemp("strict"), manifest)


@pytest.fixture(scope="module")
def server(strict: Project) -> Any:
    return strict.server(None, Shelf())


def run(server: Any, **arguments: Any) -> Answer:
    return call(server, "run_read", {"tool": "find_book", **arguments})


def test_runners_are_listed_with_arguments_that_are_text(server: Any) -> None:
    tools = {tool.name: tool for tool in listed(server)}

    for name in RUNNERS:
        assert tools[name].input_schema["properties"]["arguments"] == {
            "type": "string",
            "description": "JSON object",
        }
    assert sum(listed_tokens(tool.model_dump(by_alias=True)) for tool in tools.values()) <= 350


def test_no_listed_parameter_is_an_object(server: Any) -> None:
    parameters = [p for tool in listed(server) for p in tool.input_schema["properties"].values()]

    assert {parameter["type"] for parameter in parameters} == {"string", "integer"}


@pytest.mark.parametrize("given", ['{"title": "dune"}', {"title": "dune"}])
def test_text_and_objects_are_understood(given: object, server: Any) -> None:
    assert run(server, arguments=given).text == '["dune x5"]'


@pytest.mark.parametrize("nothing", ["", None])
def test_a_client_that_has_to_send_every_parameter_may_leave_them_empty(
    nothing: object, server: Any
) -> None:
    answer = run(server, arguments='{"title": "dune"}', fields=nothing, cursor=nothing)

    assert answer.text == '["dune x5"]'


@pytest.mark.parametrize(("text", "number"), [("", 0), (None, None)])
@pytest.mark.parametrize(
    ("tool", "texts", "numbers", "needed"),
    [
        ("capabilities", ("category", "detail", "format"), ("page",), {}),
        ("tool_schema", ("detail",), (), {"tool": "find_book"}),
        ("search_tools", (), ("limit",), {"query": "book"}),
    ],
)
def test_so_it_may_with_the_parameters_of_other_meta_tools(
    tool: str,
    texts: tuple[str, ...],
    numbers: tuple[str, ...],
    needed: Json,
    text: object,
    number: object,
    server: Any,
) -> None:
    empty = dict.fromkeys(texts, text) | dict.fromkeys(numbers, number)

    answer = call(server, tool, {**needed, **empty})

    assert answer == call(server, tool, needed)
    assert not answer.is_error


def test_what_a_meta_tool_needs_is_not_taken_for_left_out(server: Any) -> None:
    assert call(server, "search_tools", {"query": ""}).text.startswith("an empty query")


def test_instructions_and_next_steps_say_that_arguments_are_text(
    server: Any, strict: Project
) -> None:
    step = "run_read or run_write, arguments as a JSON string.\n"
    assert f"run unlisted tools with {step}" in server.instructions

    schema = json.loads(strict.catalog.details("find_book"))
    assert schema["next"] == "run_read, arguments as a JSON string"


VALID: Final = 'run_read({"tool":"find_book","arguments":"{\\"title\\":\\"dune\\"}"})'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"tool": "find_book", "arguments": "{}"}, f"\nvalid call: {VALID}"),
        ({"tool": "find_book", "title": "dune"}, f"\nvalid call: {VALID}"),
        ({}, 'run_read({"tool": "NAME", "arguments": "{}"}).'),
        (
            {"tool": "find_book", "arguments": "title=dune"},
            'arguments: expected string with a JSON object, got string "title=dune".',
        ),
    ],
)
def test_errors_show_arguments_as_text(arguments: Json, words: str, server: Any) -> None:
    answer = call(server, "run_read", arguments)

    assert answer.is_error
    assert answer.text.startswith("invalid_arguments: ")
    assert answer.text.endswith(words)


def test_pages_show_calls_with_arguments_as_text(strict: Project) -> None:
    page = (strict.output / "docs" / "tools" / "find_book.md").read_text(encoding="utf-8")

    assert '"arguments": "{\\"title\\":\\"dune\\"}"' in page
    assert """"arguments": '{"title":"dune"}'},""" in page
