"""Eleven clients written by others: what they list, call and are told, over both transports.

Each is used in its own high-level way, as its agents use it, and no model is asked: explicit nulls,
closed schemas and validation of arguments and results happen here as they happen to users.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import yaml

from tests.clients.matrix import CLIENTS, Sessions
from tests.clients.server.notes import NOTES, RED
from tests.support.commands import toolfold
from tests.support.projects import import_path, write_manifest
from tests.support.servers import package_command, package_listening

Json = dict[str, Any]

pytestmark = pytest.mark.long

FOLDER: Final = Path(__file__).parent / "server"
PACKAGE: Final = "notes_mcp"
EXPOSURES: Final = ("direct", "progressive", "hybrid")
TRANSPORTS: Final = ("stdio", "http")
INVENTORY: Final = {"capabilities", "tool_schema"}
META: Final = {*INVENTORY, "search_tools", "run_read", "run_write"}
TOOLS: Final = {"find_notes", "read_note", "add_note", "draw_note"}
#: They take a list out of the object that it is sent in.
UNWRAPPING: Final = {"fastmcp", "pydantic_ai"}
LISTED: Final = {"direct": INVENTORY | TOOLS, "progressive": META, "hybrid": META | TOOLS}

#: What a library does not hand on, whatever a server sends, and where its source says so. The test
#: fails where an entry is no longer true.
LIMITS: Final[dict[str, dict[str, str]]] = {
    "langchain": {
        "strict": "models bound with strict=True close every object, so the runners' arguments "
        "could only be {}: langchain_core/utils/function_calling.py, "
        "`_recursive_set_additional_properties_false`; `disclosure.arguments: json` helps",
    },
    "pydantic_ai": {
        "strict": "the same for tools that are made strict: profiles/openai.py, "
        "`OpenAIJsonSchemaTransformer`; `disclosure.arguments: json` helps",
    },
    "mcp_use": {
        "structured": "its adapter gives LangChain the content blocks alone: "
        "agents/adapters/langchain_adapter.py, `_arun` returns `_mcp_content_to_langchain`",
    },
    "openai_agents": {
        "optional": "a strict schema requires every parameter, so its models send a value for "
        "each: strict_schema.py, `ensure_strict_json_schema`; tools with an open object, such as "
        "the runners, stay as they are",
    },
}


class Call(NamedTuple):
    """A call and what must arrive: the code of an error, words of a text, a value, or a picture."""

    tool: str
    arguments: Json
    error: str = ""
    words: str = ""
    value: Any = None
    image: str = ""


FOUND: Final = list(NOTES[:2])
ADDED: Final = {"id": "n4", "text": "x #y", "kind": "idea", "written": "2026-11-16", "due": None}
DAY: Final = '"yesterday" is not a date'
NEW: Final = {"text": "x", "tags": ["y"]}
NULLS: Final = {"word": "onboarding", "kind": None, "since": None, "tag": None, "limit": None}
CALLS: Final = {
    "inventory": Call("capabilities", {}, words="find_notes"),
    "every parameter": Call(
        "capabilities", {"category": "", "detail": "names", "page": 1, "format": "json"}
    ),
    "schema": Call("tool_schema", {"tool": "find_notes"}, words="Written on this day or later"),
    "search": Call("search_tools", {"query": "find notes by a word"}, words="find_notes(word: str"),
    "run": Call(
        "run_read", {"tool": "find_notes", "arguments": {"word": "onboarding"}}, value=FOUND
    ),
    "run, nulls": Call("run_read", {"tool": "find_notes", "arguments": NULLS}, value=FOUND),
    "write": Call("run_write", {"tool": "add_note", "arguments": NEW}, value=ADDED),
    "refused": Call(
        "run_read",
        {"tool": "add_note", "arguments": NEW},
        error="effect_refused",
        words="run_write",
    ),
    "unknown": Call(
        "run_read", {"tool": "find_note"}, error="unknown_tool", words="Nearest: find_notes"
    ),
    "run, wrong": Call(
        "run_read",
        {"tool": "find_notes", "arguments": {"word": "x", "since": "yesterday"}},
        error="invalid_arguments",
        words=DAY,
    ),
    "find": Call("find_notes", {"word": "onboarding"}, value=FOUND),
    "filter": Call(
        "find_notes",
        {"word": "onboarding", "kind": "idea", "since": "2026-05-01", "limit": 5},
        value=[NOTES[1]],
    ),
    "nulls": Call("find_notes", NULLS, value=FOUND),
    "read": Call("read_note", {"id": "n1"}, value=NOTES[0]),
    "add": Call("add_note", NEW, value=ADDED),
    "wrong": Call(
        "find_notes", {"word": "x", "since": "yesterday"}, error="invalid_arguments", words=DAY
    ),
    "image": Call("draw_note", {"id": "n1"}, image=RED),
    "run, image": Call("run_read", {"tool": "draw_note", "arguments": {"id": "n1"}}, image=RED),
    "own error": Call("read_note", {"id": "n9"}, error="no_such_note", words="find_notes has"),
}
TEXT_CALLS: Final = {
    "text": Call(
        "run_read",
        {"tool": "find_notes", "arguments": '{"word": "onboarding", "kind": null}'},
        value=FOUND,
    ),
    "text, wrong": Call(
        "run_read",
        {"tool": "find_notes", "arguments": '{"word": "x", "since": "yesterday"}'},
        error="invalid_arguments",
        words=DAY,
    ),
}


Targets = dict[str, dict[str, Json]]


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Targets]:
    """How to reach the server, by transport and exposure; `text` is one of runners that take text."""
    usual = generated(tmp_path_factory.mktemp("notes"), {})
    textual = generated(tmp_path_factory.mktemp("text"), {"arguments": "json"})
    servers = {exposure: (usual, exposure) for exposure in EXPOSURES}
    servers["text"] = (textual, "progressive")
    with ExitStack() as stack:
        http = {
            name: stack.enter_context(
                package_listening(PACKAGE, output, "--exposure", exposure)
            ).url
            for name, (output, exposure) in servers.items()
        }
        yield {
            "stdio": {name: over_stdio(*server) for name, server in servers.items()},
            "http": {name: {"url": url} for name, url in http.items()},
        }


def generated(folder: Path, disclosure: Json) -> Path:
    """Where the server is generated, with some other disclosure."""
    manifest = yaml.safe_load((FOLDER / "tools.yaml").read_text(encoding="utf-8"))
    write_manifest(folder, manifest | {"disclosure": disclosure})
    shutil.copy(FOLDER / "notes.py", folder)
    assert toolfold(folder, "generate", "--quiet").code == 0
    return folder / "generated"


def over_stdio(output: Path, exposure: str) -> Json:
    program, *arguments = package_command(PACKAGE, "--exposure", exposure)
    environment = {
        **import_path(output),
        "PATH": os.environ["PATH"],
        "PYTHONPYCACHEPREFIX": str(sys.pycache_prefix),
    }
    return {"command": program, "args": arguments, "env": environment}


def asked(targets: dict[str, Json], calls: dict[str, dict[str, Call]]) -> Sessions:
    """Sessions with these servers, and these calls in each."""
    return {
        name: {
            "target": targets[name],
            "calls": {label: (call.tool, call.arguments) for label, call in some.items()},
        }
        for name, some in calls.items()
    }


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_lists_calls_and_is_told_what_to_do(
    client: str, transport: str, targets: Targets, tmp_path: Path
) -> None:
    calls = {
        exposure: {label: call for label, call in CALLS.items() if call.tool in LISTED[exposure]}
        for exposure in EXPOSURES
    }
    calls["text"] = TEXT_CALLS

    seen = CLIENTS[client](asked(targets[transport], calls), tmp_path)

    for exposure in EXPOSURES:
        assert set(seen[exposure]["tools"]) == LISTED[exposure]
    for session, some in calls.items():
        for label, call in some.items():
            assert_answered(seen[session]["answers"][label], call, client)
    assert_shown(seen["hybrid"], seen["text"], LIMITS.get(client, {}))


def assert_answered(answer: Json, call: Call, client: str) -> None:
    """An answer is the one of the table."""
    assert answer["is_error"] == bool(call.error), (call, answer)
    assert answer["text"].startswith(call.error), (call, answer)
    assert call.words in answer["text"], (call, answer)
    assert answer["images"] == ([["image/png", call.image]] if call.image else []), (call, answer)
    if call.value is not None:
        assert json.loads(answer["text"]) == call.value, (call, answer)
    if call.value is not None and call.tool in TOOLS:
        is_wrapped = isinstance(call.value, list) and client not in UNWRAPPING
        structured = {"result": call.value} if is_wrapped else call.value
        is_handed_on = "structured" not in LIMITS.get(client, {})
        assert answer["structured"] == (structured if is_handed_on else None), (call, answer)


def assert_shown(usual: Json, textual: Json, limits: dict[str, str]) -> None:
    """What models are told of parameters lets them call: what is open and optional stays so."""
    assert _is_open(usual["tools"]["run_read"])
    is_optional = usual["tools"]["find_notes"]["required"] == ["word"]
    assert is_optional == ("optional" not in limits), usual["tools"]["find_notes"]
    assert _is_text(textual["tools"]["run_read"])
    if usual["strict"]:
        assert _is_open(usual["strict"]["run_read"]) == ("strict" not in limits)
        assert _is_text(textual["strict"]["run_read"])


def _is_open(runner: Json) -> bool:
    """Whether a model may put anything into a runner's arguments."""
    return any(kind.get("additionalProperties") is True for kind in _kinds(runner))


def _is_text(runner: Json) -> bool:
    return any(kind.get("type") == "string" for kind in _kinds(runner))


def _kinds(runner: Json) -> list[Json]:
    arguments: Json = runner["properties"]["arguments"]
    return list(arguments.get("anyOf", [arguments]))
