"""The five meta-tools: what they say about themselves, what they understand, what they answer."""

import json
from typing import Any, Final

import pytest

from tests.disclosure.catalogs import META, SHELF, Shelf, changed
from tests.support.clients import ERAS, Answer, Era, call, listed, names
from tests.support.projects import Json, Project, project


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("shelf"), SHELF)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Project:
    manifest = changed(SHELF, unknown_parameters="reject", format="text")
    return project(tmp_path_factory.mktemp("strict"), manifest)


@pytest.fixture(scope="module")
def server(shelf: Project) -> Any:
    return shelf.server("progressive", Shelf())


def variant(
    tmp_path_factory: pytest.TempPathFactory, meta: Json, exposure: str = "progressive"
) -> Any:
    """The shelf with other meta-tools."""
    manifest = changed(SHELF, meta=meta, exposure=exposure)
    return project(tmp_path_factory.mktemp("variant"), manifest).server(implementation=Shelf())


def ask(server: Any, name: str, /, **arguments: Any) -> Answer:
    return call(server, name, arguments)


# What they say about themselves


@pytest.mark.parametrize("era", ERAS)
def test_each_has_a_title_a_description_and_flat_parameters(era: Era, server: Any) -> None:
    for tool in listed(server, era):
        assert tool.title
        assert tool.title.endswith("(Book shelf)")
        assert tool.description
        assert tool.input_schema["type"] == "object"
        for schema in tool.input_schema["properties"].values():
            assert isinstance(schema["type"], str)
            assert {"anyOf", "oneOf", "allOf", "nullable", "$ref"} & set(schema) == set()


def test_annotations_say_what_a_client_may_run_unasked(server: Any) -> None:
    hints = {}
    for tool in listed(server):
        assert tool.annotations is not None
        hints[tool.name] = (tool.annotations.read_only_hint, tool.annotations.destructive_hint)

    reading = (True, False)
    assert hints == dict.fromkeys(META[:4], reading) | {"run_write": (False, True)}


def test_arguments_of_runners_arrive_at_clients_that_want_to_know_their_properties(
    server: Any,
) -> None:
    runner = next(tool for tool in listed(server) if tool.name == "run_read")

    assert runner.input_schema["properties"]["arguments"] == {
        "type": "object",
        "additionalProperties": True,
    }
    assert runner.input_schema["required"] == ["tool"]


# Names of their own, merged, off


def test_meta_tools_are_renamed_wherever_they_are_named(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    server = variant(
        tmp_path_factory,
        {
            "capabilities": {"name": "info"},
            "schema": {"name": "get_help"},
            "search": {"name": "seek"},
            "run_read": {"name": "look"},
            "run_write": {"name": "act"},
        },
    )

    assert names(server) == ["info", "get_help", "seek", "look", "act"]
    assert json.loads(ask(server, "info").text)["next"] == "get_help(tool)"
    assert json.loads(ask(server, "info", detail="counts").text)["next"] == "info(category)"
    assert ask(server, "seek", query="burn").text.endswith("next: get_help(tool)")
    assert "info()" in ask(server, "seek", query="zebra").text
    assert ask(server, "look", tool="dust").text.endswith("Use act.")
    assert ask(server, "capabilities").text.startswith("unknown_tool: ")


def test_a_prefix_is_part_of_default_names_only(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    manifest = changed(SHELF, exposure="progressive", meta={"search": {"name": "seek"}})
    manifest |= {"server": manifest["server"] | {"prefix": "shelf_"}}
    made = project(tmp_path_factory.mktemp("prefix"), manifest)

    assert names(made.server()) == [
        "shelf_capabilities",
        "shelf_tool_schema",
        "seek",
        "shelf_run_read",
        "shelf_run_write",
    ]


def test_one_runner_runs_every_effect_and_is_annotated_as_destructive(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    server = variant(tmp_path_factory, {"run": {"name": "run_tool"}})
    runner = listed(server)[-1]

    assert names(server) == [*META[:3], "run_tool"]
    assert runner.annotations is not None
    assert (runner.annotations.read_only_hint, runner.annotations.destructive_hint) == (False, True)
    assert ask(server, "run_tool", tool="find_book", arguments={"title": "x"}).text == '["x x5"]'
    assert ask(server, "run_tool", tool="dust").text == "dusted"
    assert ask(server, "run_tool", tool="burn_book").text == "burnt"
    assert ask(server, "run_read", tool="dust").text.startswith("unknown_tool: ")


@pytest.mark.parametrize("role", ["capabilities", "schema", "search", "run_read", "run_write"])
def test_a_meta_tool_that_is_off_is_neither_listed_nor_called_nor_named(
    role: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    server = variant(tmp_path_factory, {role: "off"})
    off = "tool_schema" if role == "schema" else "search_tools" if role == "search" else role
    left = [name for name in META if name != off]

    assert names(server) == left
    assert ask(server, off, tool="dust", query="x").text.startswith("unknown_tool: ")
    said = [ask(server, "capabilities"), ask(server, "capabilities", detail="counts")]
    said += [ask(server, "search_tools", query=word) for word in ("book", "zebra")]
    said += [ask(server, "run_read", tool="dust")]
    shown = [answer.text for answer in said if not answer.text.startswith("unknown_tool")]
    assert [text for text in shown if f"{off}(" in text or f"Use {off}" in text] == []


def test_all_meta_tools_can_be_off(tmp_path_factory: pytest.TempPathFactory) -> None:
    roles = ("capabilities", "schema", "search", "run_read", "run_write")
    server = variant(tmp_path_factory, dict.fromkeys(roles, "off"), "direct")

    assert names(server) == list(SHELF["tools"])
    assert ask(server, "dust").text == "dusted"


# Runners


FORMS: Final[list[Json]] = [
    {"tool": "find_book", "arguments": {"title": "dune", "limit": 2}},
    {"tool": "find_book", "arguments": '{"title": "dune", "limit": 2}'},
    {"tool": "find_book", "args": {"title": "dune", "limit": 2}},
    {"tool": "find_book", "params": {"title": "dune", "limit": 2}},
    {"tool": "find_book", "params": '{"title": "dune", "limit": 2}'},
    {"tool": "seek_book", "arguments": {"title": "dune", "limit": 2}},
    {"tool": "shelf::find_book", "arguments": {"title": "dune", "limit": 2}},
]


@pytest.mark.parametrize("given", FORMS, ids=str)
@pytest.mark.parametrize("runner", ["run_read", "run_write"])
def test_arguments_are_understood_in_every_form_they_come_in(
    runner: str, given: Json, server: Any
) -> None:
    answer = call(server, runner, given)

    assert answer.parts == ('["dune x2"]',)
    assert answer.structured is None  # the runner promises text; saying it twice would cost twice


@pytest.mark.parametrize("given", [{}, {"arguments": {}}, {"arguments": ""}, {"args": "{}"}])
def test_a_tool_without_parameters_runs_without_arguments(given: Json, server: Any) -> None:
    assert call(server, "run_write", {"tool": "dust", **given}).text == "dusted"


@pytest.mark.parametrize("given", ["nonsense", "[1]", "7", [1], 7, True])
def test_arguments_that_are_no_object_are_refused(given: Any, server: Any) -> None:
    answer = call(server, "run_write", {"tool": "dust", "arguments": given})

    assert answer.is_error
    assert answer.text.startswith("invalid_arguments: run_write: arguments: expected object, got ")


@pytest.mark.parametrize("tool", ["move_book", "burn_book", "dust", "shelf::dust"])
def test_run_read_refuses_whatever_is_not_read_and_runs_nothing(tool: str, shelf: Project) -> None:
    ran: list[str] = []

    class Recording:
        def __getattr__(self, name: str) -> Any:
            return lambda params: ran.append(name)

    answer = ask(shelf.server("progressive", Recording()), "run_read", tool=tool)

    assert answer.is_error
    assert answer.text.startswith("effect_refused: ")
    assert answer.text.endswith("Use run_write.")
    assert ran == []


@pytest.mark.parametrize("runner", ["run_read", "run_write"])
@pytest.mark.parametrize("tool", META)
def test_a_runner_runs_neither_itself_nor_another_meta_tool(
    tool: str, runner: str, server: Any
) -> None:
    answer = ask(server, runner, tool=tool, arguments={"tool": "dust"})

    assert answer.is_error
    assert answer.text == (f"effect_refused: {tool} is a meta-tool; call it by its own name.")


def test_a_runner_validates_like_a_direct_call(server: Any) -> None:
    ran = ask(server, "run_read", tool="find_book", arguments={"titel": "x"})
    direct = ask(server, "find_book", titel="x")

    assert ran.is_error
    call = 'find_book({"title":"dune"})'
    by_runner = 'run_read({"tool":"find_book","arguments":{"title":"dune"}})'
    assert ran.text == direct.text.replace(call, by_runner) != direct.text


def test_arguments_beside_the_arguments_are_refused_and_never_ignored(server: Any) -> None:
    answer = ask(server, "run_read", tool="find_book", title="dune")

    assert answer.is_error
    assert answer.text.splitlines() == [
        "invalid_arguments: title: put what is for find_book under `arguments`.",
        'valid call: run_read({"tool":"find_book","arguments":{"title":"dune"}})',
    ]


def test_a_failed_run_names_the_parameters_that_were_ignored(server: Any) -> None:
    answer = ask(server, "run_read", tool="find_book", arguments={}, verbose=True)

    assert answer.is_error
    assert answer.text.endswith("warning: ignored unknown parameters: verbose")


def test_an_extra_parameter_of_a_runner_is_named_in_a_warning(server: Any) -> None:
    answer = ask(server, "run_write", tool="dust", arguments={}, verbose=True)

    assert not answer.is_error
    assert answer.parts == ("dusted", "warning: ignored unknown parameters: verbose")


def test_an_extra_parameter_of_a_runner_is_refused_where_the_manifest_says_so(
    strict: Project,
) -> None:
    server = strict.server("progressive", Shelf())
    answer = ask(server, "run_write", tool="dust", verbose=True)

    assert answer.is_error
    assert answer.text.startswith('invalid_arguments: run_write: no parameter "verbose".')
    assert ask(server, "run_write", tool="move_book", args={"book": "x"}).text == "moved x"


# Unknown parameters of the others


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("capabilities", {}),
        ("tool_schema", {"tool": "dust"}),
        ("search_tools", {"query": "book"}),
    ],
)
def test_unknown_parameters_warn_or_are_refused(
    name: str, given: Json, server: Any, strict: Project
) -> None:
    warned = call(server, name, given | {"verbose": True, "depth": 2})
    plain = call(server, name, given)
    refused = call(strict.server("progressive"), name, given | {"verbose": True})

    assert not warned.is_error
    assert warned.parts == (*plain.parts, "warning: ignored unknown parameters: verbose, depth")
    assert refused.is_error
    assert refused.text.startswith(f'invalid_arguments: {name}: no parameter "verbose".')
