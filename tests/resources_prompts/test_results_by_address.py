"""Results of tools by address: the same call as by name, and what it answers as contents."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from mcp import Client
from toolfold_runtime.contract.resource import Resource
from toolfold_runtime.disclosure.dispatch import Reply
from toolfold_runtime.disclosure.resources import contents_of

from tests.callers.material import User, token_of
from tests.resources_prompts.material import ask, contents, refused, text, tool
from tests.support.clients import ERAS, MODERN, Era, over_http, over_stdio
from tests.support.projects import Project, import_path, served_by
from tests.support.servers import Listening, Stdio, package_command

PICTURE: Final = {"type": "image", "data": "AAAA", "mimeType": "image/png"}


@pytest.mark.parametrize("era", ERAS)
def test_an_address_is_read_by_calling_its_tool(server: Any, era: Era) -> None:
    assert contents(server, "orders://all/A-1", era) == [
        {"uri": "orders://all/A-1", "mimeType": "application/json", "text": '{"id":"A-1"}'}
    ]


def test_texts_stand_for_what_the_parameters_are(server: Any) -> None:
    (content,) = contents(server, "orders://by/open/5.json?all=true")

    assert json.loads(content["text"]) == {"state": "open", "limit": 5, "all": True}
    assert content["mimeType"] == "text/csv"


def test_a_text_is_sent_as_it_is(server: Any) -> None:
    (content,) = contents(server, "greet:Ada%20L.")

    assert (content["text"], content["mimeType"]) == ('Hello, "Ada L."', "text/plain")


def test_json_without_a_schema_is_seen_to_be_json(server: Any) -> None:
    (content,) = contents(server, "orders://all")

    assert content["mimeType"] == "application/json"
    assert json.loads(content["text"]) == {"state": None, "limit": None, "all": None}


def test_what_is_left_out_is_said_behind_it(server: Any) -> None:
    content, note = contents(server, "orders://long")

    assert len(json.loads(content["text"])) < 200
    assert note["text"].startswith("left out: ")
    assert note["mimeType"] == "text/plain"


def test_every_kind_of_block_becomes_contents() -> None:
    file = {"uri": "file:///a.csv", "mimeType": "text/csv", "text": "a,b"}
    link = {"type": "resource_link", "uri": "https://example.com/a", "name": "a"}
    first, second = {"type": "text", "text": "a"}, {"type": "text", "text": "b"}
    blocks = (first, PICTURE, second, {"type": "resource", "resource": file}, link)
    resource = Resource("x", "x://y", "X", mime_type="text/html")

    assert contents_of("x://y", resource, Reply(blocks)) == [
        {"uri": "x://y", "mimeType": "text/html", "text": "a"},
        {"uri": "x://y", "mimeType": "image/png", "blob": "AAAA"},
        {"uri": "x://y", "mimeType": "text/plain", "text": "b"},
        {"uri": "x://y", "mimeType": "text/csv", "text": "a,b"},
        {"uri": "x://y", "mimeType": "text/uri-list", "text": "https://example.com/a"},
    ]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("[1]", "application/json"),
        ("{}", "application/json"),
        ("{name}", "text/plain"),
        ("[", "text/plain"),
        ("", "text/plain"),
        ("5", "text/plain"),
        ("[" * 100_000 + "]" * 100_000, "text/plain"),
    ],
)
def test_a_text_is_json_where_it_parses(words: str, kind: str) -> None:
    (content,) = contents_of(
        "x:y", Resource("x", "x:y", "X"), Reply(({"type": "text", "text": words},))
    )

    assert content["mimeType"] == kind


@pytest.mark.parametrize(("era", "missing"), [("legacy", -32002), (MODERN, -32602)])
def test_errors_of_the_tool_are_errors_of_the_protocol(server: Any, era: Era, missing: int) -> None:
    absent = refused(server, "orders://all/none", era)
    broken = refused(server, "orders://all/broken", era)
    failed = refused(server, "fails://all", era)
    invalid = refused(server, "orders://by/lost/5.json?all=true", era)

    assert (absent.code, absent.message) == (missing, "no such order; read orders://all")
    assert absent.data == {"uri": "orders://all/none"}
    assert (broken.code, broken.message) == (-32603, "broken: it is broken")
    assert broken.data == {"uri": "orders://all/broken", "code": "broken"}
    assert (failed.code, failed.data["code"]) == (-32603, "backend_failed")
    assert "secret" not in failed.message
    assert invalid.code == -32602
    assert 'state: "lost" is not one of "open", "sent"' in invalid.message


def test_scopes_are_held_and_results_are_each_callers_own(guarded: Listening) -> None:
    def read(subject: str, *scopes: str) -> str:
        return text(over_http(guarded.url, token_of(subject, *scopes)), "orders://mine")

    assert read("ada", "orders:read") == "orders of ada"
    assert read("eve", "orders:read") == "orders of eve"
    assert read("ada", "orders:read") == "orders of ada"
    error = refused(over_http(guarded.url, token_of("ada")), "orders://mine")
    assert (error.code, error.data["code"]) == (-32603, "forbidden")
    assert "orders:read" in error.message


@pytest.mark.parametrize("era", ERAS)
def test_the_user_is_asked_where_the_tool_wants_it(shop: Project, server: Any, era: Era) -> None:
    user = User()
    (content,) = contents(server, "asking://A-1", era, elicitation_callback=user)

    assert content["text"] == "asked for A-1"
    assert len(user.questions) == 1
    assert refused(server, "asking://A-1", era).data["code"] == "unconfirmed"
    with Stdio.of(shop) as running:  # a client that can ask nobody
        running.send({"id": 1, "method": "resources/read", "params": {"uri": "asking://A-1"}})
        (answer,) = running.wait(1)
    assert answer["error"]["data"]["code"] == "unconfirmed"


def test_progress_and_cached_results_are_those_of_the_call(tmp_path: Path) -> None:
    tools = {"count": {"category": "all", "effect": "read", "summary": "C", "cache": {"ttl": 60}}}
    code = """
from toolfold_runtime import progress

class Tools:
    n = 0

    async def count(self, params):
        progress(1, 2, "half")
        Tools.n += 1
        return Tools.n
"""
    resources = {"count": {"uri": "count://all", "tool": "count", "summary": "C"}}
    made = served_by(tmp_path, tools, code, resources=resources)

    with Stdio.of(made) as running:
        meta = {"progressToken": 7}
        first = running.request(1, "resources/read", uri="count://all", _meta=meta)
        second = running.request(2, "resources/read", uri="count://all")
        called = running.request(3, "tools/call", name="count", arguments={})
        notes = [one["params"] for one in running.answers[None]]

    assert first["contents"][0]["text"] == second["contents"][0]["text"] == "1"
    assert called["content"][0]["text"] == "1"
    assert [(note["progressToken"], note["message"]) for note in notes] == [(7, "half")]


def test_an_id_names_the_tool_of_a_resource_and_a_prompt(tmp_path: Path) -> None:
    tools = {"one": {"category": "all", "effect": "read", "summary": "One", "id": "far::one"}}
    declared = {
        "resources": {"one": {"uri": "one://all", "tool": "far::one", "summary": "One"}},
        "prompts": {"one": {"summary": "One", "tool": "far::one"}},
    }
    code = "class Tools:\n    def one(self, params):\n        return 'one'\n"
    made = served_by(tmp_path, tools, code, **declared)

    with Stdio.of(made) as running:
        read = running.request(1, "resources/read", uri="one://all")
        got = running.request(2, "prompts/get", name="one")

    assert read["contents"][0]["text"] == got["messages"][0]["content"]["text"] == "one"


def test_templates_are_tried_in_the_order_of_the_manifest(tmp_path: Path) -> None:
    tools = {
        name: {
            "category": "all",
            "effect": "read",
            "summary": name,
            "parameters": {"id": {"type": "string"}},
        }
        for name in ("exact", "special", "general")
    }
    code = "class Tools:\n" + "".join(
        f"    def {name}(self, params):\n        return '{name}'\n" for name in tools
    )
    addresses = {"special": "a://x{id}", "general": "a://{id}", "exact": "a://xy"}
    resources = {
        name: {"uri": uri, "tool": name, "summary": name} for name, uri in addresses.items()
    }
    made = served_by(tmp_path, tools, code, resources=resources)

    async def read(client: Client) -> list[str]:
        answers = [await client.read_resource(f"a://{end}") for end in ("xy", "xz", "z")]
        return [answer.contents[0].model_dump()["text"] for answer in answers]

    started = over_stdio(package_command(made.package), **import_path(made.output))
    assert ask(started, read) == ["exact", "special", "general"]


def test_numbers_dates_and_alternatives_are_given_as_text(tmp_path: Path) -> None:
    parameters = {
        "n": {"type": "integer", "enum": [1, 2]},
        "m": {"type": ["integer", "null"]},
        "f": {"type": "number"},
        "d": {"type": "string", "format": "date"},
        "a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "u": {},
    }
    tools = {"show": tool(parameters=parameters)}
    code = "class Tools:\n    def show(self, p):\n        return p.model_dump(mode='json')\n"
    address = {"uri": "x:{n}/{m}/{f}/{d}/{a}/{u}", "tool": "show", "summary": "S"}
    made = served_by(tmp_path, tools, code, resources={"show": address})
    started = over_stdio(package_command(made.package), **import_path(made.output))

    shown = json.loads(text(started, "x:1/2/2.5/2024-01-01/3/4"))

    assert shown == {"n": 1, "m": 2, "f": 2.5, "d": "2024-01-01", "a": "3", "u": "4"}
    assert "n: 3 is not one of 1, 2" in refused(started, "x:3/2/2.5/2024-01-01/3/4").message
