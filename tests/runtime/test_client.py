"""A generated server as a real client sees it, in both eras of the protocol."""

import json
from pathlib import Path
from typing import Any, Final

import anyio
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from tests.runtime.demo import MANIFEST, PACKAGE, generate
from tests.support.clients import MODERN, Era, connected, over_stdio
from tests.support.projects import Json, Project, import_path
from tests.support.servers import package_command, serve_command

CALLS: Final[dict[str, tuple[str, Json]]] = {
    "sync with default": ("add", {"a": 3}),
    "by alias": ("plus", {"a": 3, "b": 4}),
    "by id": ("demo::add", {"a": 5}),
    "async": ("shout", {"text": "loud"}),
    "default of text": ("shout", {}),
    "awaitable": ("later", {}),
    "odd names": ("odd", {"class": "c", "model_config": "m"}),
    "absent": ("absent", {}),
    "not absent": ("absent", {"note": "x", "n": None}),
    "list": ("several", {}),
    "text": ("words", {}),
    "crash": ("crash", {}),
    "refuse": ("refuse", {}),
    "broken": ("broken", {}),
    "unspeakable": ("unspeakable", {}),
    "noisy": ("noisy", {}),
    "missing": ("missing", {}),
    "unknown": ("ad", {}),
    "nothing like it": ("zzz", {}),
    "invalid": ("add", {"b": 11, "c": 1}),
    "wrong type": ("add", {"a": "3"}),
    "attribute instead of property": ("odd", {"class_": "x"}),
    "inventory": ("capabilities", {}),
    "summaries": ("capabilities", {"detail": "summaries"}),
    "one category": ("capabilities", {"category": "all"}),
    "unknown category": ("capabilities", {"category": "al"}),
    "extra parameter": ("capabilities", {"verbose": True, "depth": 3}),
    "wrong parameter": ("capabilities", {"category": 7}),
    "schema": ("tool_schema", {"tool": "add"}),
    "schemas": ("tool_schema", {"tool": "add, shout"}),
    "schema of unknown": ("tool_schema", {"tool": "sub"}),
    "schema of nothing": ("tool_schema", {}),
}


class Session:
    """Everything one connection was told."""

    def __init__(self) -> None:
        self.instructions: str | None = None
        self.tools: list[types.Tool] = []
        self.answers: dict[str, types.CallToolResult] = {}

    def text(self, call: str) -> str:
        content = self.answers[call].content
        assert all(isinstance(part, types.TextContent) for part in content)
        return "\n".join(part.text for part in content if isinstance(part, types.TextContent))

    def failure(self, call: str) -> str:
        assert self.answers[call].is_error
        assert self.answers[call].structured_content is None
        return self.text(call)

    def structured(self, call: str) -> Any:
        assert not self.answers[call].is_error, self.text(call)
        return self.answers[call].structured_content


async def _instructions(client: Client) -> str | None:
    """What the server says to every client; the modern era gives it only when asked."""
    if client.server_info is None:
        answer = await client.session.send_discover("2026-07-28")
        return types.DiscoverResult.model_validate(answer).instructions
    assert (client.server_info.name, client.server_info.version) == ("demo", "1.2.3")
    return client.instructions


async def _talk(parameters: StdioServerParameters, era: Era) -> Session:
    session = Session()
    async with connected(parameters, era) as client:
        session.instructions = await _instructions(client)
        session.tools = (await client.list_tools()).tools
        for call, (name, arguments) in CALLS.items():
            session.answers[call] = await client.call_tool(name, arguments)
    return session


@pytest.fixture(scope="module", params=["module, handshake", "serve, modern"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("demo")
    output = generate(folder, MANIFEST)
    if request.param == "serve, modern":
        command = serve_command(Project(folder, PACKAGE))
        return anyio.run(_talk, over_stdio(command), MODERN)
    parameters = over_stdio(package_command(PACKAGE), **import_path(output))
    return anyio.run(_talk, parameters, "legacy")


def test_the_server_says_who_it_is(session: Session) -> None:
    assert session.instructions == (
        "Start with capabilities() for the inventory, ask tool_schema(tool) before a tool's first"
        " call.\nAdd things."
    )


def test_every_tool_is_listed_after_the_meta_tools_in_the_manifests_order(session: Session) -> None:
    names = [tool.name for tool in session.tools]

    assert names == ["capabilities", "tool_schema", *MANIFEST["tools"]]


def test_a_listed_tool_carries_schemas_annotations_and_its_id(session: Session) -> None:
    add = next(tool for tool in session.tools if tool.name == "add")
    crash = next(tool for tool in session.tools if tool.name == "crash")

    assert add.title == "Add two numbers"
    assert list(add.input_schema["properties"]) == ["a", "b"]
    assert add.input_schema["required"] == ["a"]
    assert add.output_schema is not None
    assert add.output_schema["properties"] == {"result": {"type": "integer"}}
    assert add.annotations is not None
    assert (add.annotations.read_only_hint, add.annotations.destructive_hint) == (True, False)
    assert crash.annotations is not None
    assert crash.annotations.read_only_hint is False
    assert add.meta is not None
    assert add.meta["toolfold/id"] == "demo::add"


def test_a_result_that_is_no_object_is_wrapped(session: Session) -> None:
    assert session.structured("sync with default") == {"result": 5}
    assert session.text("sync with default") == "5"
    assert session.structured("list") == {"result": [{"in": 1}, {"in": 2}]}


def test_a_tool_answers_to_its_alias_and_its_id(session: Session) -> None:
    assert session.structured("by alias") == {"result": 7}
    assert session.structured("by id") == {"result": 7}


def test_methods_may_be_async_or_return_an_awaitable(session: Session) -> None:
    assert session.structured("async") == {"text": "LOUD"}
    assert session.structured("default of text") == {"text": "HELLO"}
    assert session.structured("awaitable") == {"result": "later"}


def test_properties_that_are_no_python_names_reach_the_method(session: Session) -> None:
    assert json.loads(session.text("odd names")) == ["c", "dash", "m"]


def test_an_absent_parameter_reads_as_none_and_counts_as_not_set(session: Session) -> None:
    assert json.loads(session.text("absent")) == [True, True, []]
    assert json.loads(session.text("not absent")) == [False, True, ["n", "note"]]


def test_a_result_without_a_schema_is_text_alone(session: Session) -> None:
    assert session.structured("text") is None
    assert session.text("text") == "just words"


def test_an_exception_becomes_backend_failed_without_its_text(session: Session) -> None:
    assert session.failure("crash") == (
        "backend_failed: crash failed with ValueError; the server's log says why."
    )


def test_a_tool_error_of_the_method_is_said_in_its_own_words(session: Session) -> None:
    assert session.failure("refuse") == "backend_failed: come back on Monday"


def test_a_result_that_breaks_its_schema_is_invalid(session: Session) -> None:
    assert session.failure("broken").startswith("invalid_result: broken returned a result")
    assert "three" not in session.failure("broken")
    assert session.failure("unspeakable").startswith("invalid_result: unspeakable returned")


def test_a_method_may_print_without_harm(session: Session) -> None:
    assert session.text("noisy") == "done"


def test_a_tool_without_a_method_says_so(session: Session) -> None:
    assert session.failure("missing") == (
        "backend_failed: missing is not implemented by the server."
    )


def test_an_unknown_tool_is_answered_with_the_nearest_and_all_names(session: Session) -> None:
    everything = ", ".join(MANIFEST["tools"])

    assert session.failure("unknown") == (
        f'unknown_tool: no tool "ad". Nearest: add. All: {everything}.'
    )
    assert session.failure("nothing like it") == (
        f'unknown_tool: no tool "zzz". All: {everything}.'
    )


def test_invalid_arguments_are_answered_with_what_a_call_needs(session: Session) -> None:
    assert session.failure("invalid") == (
        "invalid_arguments: invalid arguments for add:\n"
        "- a: missing\n"
        "- b: 11 is greater than the maximum of 10\n"
        "- c: unknown; known: a, b\n"
        "signature: add(a: int, b: int = 2) -> int\n"
        'valid call: add({"a":1,"b":2})'
    )
    assert session.failure("wrong type") == (
        "invalid_arguments: invalid arguments for add:\n"
        '- a: expected integer, got string "3"\n'
        "signature: add(a: int, b: int = 2) -> int\n"
        'valid call: add({"a":1,"b":2})'
    )


def test_an_attributes_name_is_never_taken_for_a_property(session: Session) -> None:
    assert session.failure("attribute instead of property").startswith("invalid_arguments: ")


def test_the_inventory_shows_categories_and_ends_with_the_next_step(session: Session) -> None:
    view = json.loads(session.text("inventory"))

    assert view["version"] == "1.2.3"
    assert [category["name"] for category in view["categories"]] == ["all"]
    assert view["categories"][0]["tools"][0]["description"] == "Add two numbers"
    assert list(view)[-1] == "next"
    assert view["next"] == "tool_schema(tool)"
    lines = json.loads(session.text("summaries"))["categories"][0]["tools"]
    assert lines[0] == {"name": "add", "description": "Add two numbers"}
    one = json.loads(session.text("one category"))
    assert [category["name"] for category in one["categories"]] == ["all"]


def test_an_unknown_category_is_answered_with_the_known_ones(session: Session) -> None:
    assert session.failure("unknown category") == (
        'unknown_category: no category "al". Nearest: all. All: all, none.'
    )


def test_extra_parameters_of_a_meta_tool_are_named_in_a_warning(session: Session) -> None:
    answer = session.answers["extra parameter"]

    assert not answer.is_error
    assert [part.text for part in answer.content if isinstance(part, types.TextContent)] == [
        session.text("inventory"),
        "warning: ignored unknown parameters: verbose, depth",
    ]


def test_a_wrong_parameter_of_a_meta_tool_is_refused(session: Session) -> None:
    assert session.failure("wrong parameter") == (
        "invalid_arguments: capabilities: category: expected string, got integer 7."
        " Parameters: category, detail, page, format."
    )
    assert session.failure("schema of nothing").startswith("invalid_arguments: tool_schema: ")


def test_the_schema_view_holds_what_the_list_holds(session: Session) -> None:
    add = next(tool for tool in session.tools if tool.name == "add")
    view = json.loads(session.text("schema"))

    assert view["parameters"] == add.input_schema
    assert view["returns"] == {"type": "integer"}
    assert view["effect"] == "read"
    several = [json.loads(line)["name"] for line in session.text("schemas").split("\n")]
    assert several == ["add", "shout"]
    assert session.failure("schema of unknown").startswith('unknown_tool: no tool "sub".')


def test_no_answer_shows_a_path_or_a_traceback(session: Session) -> None:
    said = "\n".join(session.text(call) for call in CALLS)

    assert "Traceback" not in said
    assert "/etc/shadow" not in said
    assert str(Path(__file__).parents[2]) not in said
