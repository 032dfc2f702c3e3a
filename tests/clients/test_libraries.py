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

from tests.clients.matrix import CLIENTS, Sessions
from tests.clients.server.notes import NOTES, RED
from tests.support.commands import toolfold
from tests.support.projects import import_path
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
LISTED: Final = {"direct": INVENTORY | TOOLS, "progressive": META, "hybrid": META | TOOLS}

#: What a library does not hand on, whatever a server sends, and where its source says so. The test
#: fails where an entry is no longer true.
LIMITS: Final[dict[str, dict[str, str]]] = {
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


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server is generated."""
    folder = tmp_path_factory.mktemp("notes")
    for file in FOLDER.glob("*.*"):
        shutil.copy(file, folder)
    assert toolfold(folder, "generate", "--quiet").code == 0
    return folder / "generated"


@pytest.fixture(scope="module")
def targets(output: Path) -> Iterator[dict[str, dict[str, Json]]]:
    """How to reach the server, by transport and exposure."""
    program, *module = package_command(PACKAGE)
    environment = {
        **import_path(output),
        "PATH": os.environ["PATH"],
        "PYTHONPYCACHEPREFIX": str(sys.pycache_prefix),
    }
    stdio = {
        exposure: {
            "command": program,
            "args": [*module, "--exposure", exposure],
            "env": environment,
        }
        for exposure in EXPOSURES
    }
    with ExitStack() as stack:
        http = {
            exposure: stack.enter_context(
                package_listening(PACKAGE, output, "--exposure", exposure)
            ).url
            for exposure in EXPOSURES
        }
        yield {"stdio": stdio, "http": {name: {"url": url} for name, url in http.items()}}


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_lists_calls_and_is_told_what_to_do(
    client: str, transport: str, targets: dict[str, dict[str, Json]], tmp_path: Path
) -> None:
    calls = {
        exposure: {label: call for label, call in CALLS.items() if call.tool in LISTED[exposure]}
        for exposure in EXPOSURES
    }
    asked: Sessions = {
        exposure: {
            "target": targets[transport][exposure],
            "calls": {label: (one.tool, one.arguments) for label, one in calls[exposure].items()},
        }
        for exposure in EXPOSURES
    }

    seen = CLIENTS[client](asked, tmp_path)

    limits = LIMITS.get(client, {})
    for exposure in EXPOSURES:
        tools, answers = seen[exposure]["tools"], seen[exposure]["answers"]
        assert set(tools) == LISTED[exposure]
        assert_shown(tools, limits)
        for label, call in calls[exposure].items():
            assert_answered(answers[label], call, limits)


def assert_answered(answer: Json, call: Call, limits: dict[str, str]) -> None:
    """An answer is the one of the table."""
    assert answer["is_error"] == bool(call.error), (call, answer)
    assert answer["text"].startswith(call.error), (call, answer)
    assert call.words in answer["text"], (call, answer)
    assert answer["images"] == ([["image/png", call.image]] if call.image else []), (call, answer)
    if call.value is not None:
        assert json.loads(answer["text"]) == call.value, (call, answer)
    if call.value is not None and call.tool in TOOLS:
        # A list is sent wrapped; some libraries take it out of there.
        forms = [call.value, {"result": call.value}]
        has_structured = answer["structured"] in forms
        assert has_structured == ("structured" not in limits), (call, answer)


def assert_shown(tools: dict[str, Json], limits: dict[str, str]) -> None:
    """What models are told of parameters lets them call: what is open and optional stays so."""
    if "run_read" in tools:
        arguments = tools["run_read"]["properties"]["arguments"]
        kinds = arguments.get("anyOf", [arguments])
        assert any(kind.get("additionalProperties") is True for kind in kinds), arguments
    if "find_notes" in tools:
        is_optional = tools["find_notes"]["required"] == ["word"]
        assert is_optional == ("optional" not in limits), tools["find_notes"]
