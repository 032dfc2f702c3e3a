"""Servers that mean harm: secrets that come back, lists without end, answers that break clients."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from toolfold_runtime.upstream import definitions

from tests.support.projects import Json, served_by
from tests.support.servers import Stdio
from tests.upstream import deaf, stub
from tests.upstream.gateways import Door, Gateway, imported, stub_server
from tests.upstream.http_stub import http_stub

SECRET = "s3cr3t/of+ours"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    servers = {
        "stub": stub_server() | {"env": {"KEY": "${STUB_KEY}"}},
        "endless": stub_server(env={"STUB_LIST": "endless"}),
        "odd": stub_server(env={"STUB_LIST": "odd"}),
    }
    return Gateway(tmp_path_factory.mktemp("gateway"), servers)


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUB_KEY", SECRET)


def logged(caplog: pytest.LogCaptureFixture) -> str:
    facts = [str(vars(record).get("facts", "")) for record in caplog.records]
    return "\n".join([*caplog.messages, *facts])


def test_a_secret_that_a_program_repeats_reaches_neither_agents_nor_the_log(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    text = gateway.run(lambda door: door.text("stub_repeat"))

    assert text == "backend_failed: stub: answered with error -32602: refused: ${STUB_KEY}."
    assert "stub: refused: ${STUB_KEY}" in caplog.messages
    assert SECRET not in logged(caplog)


AUTH: dict[str, tuple[Json, str]] = {
    "bearer": ({"bearer": "${STUB_KEY}"}, "Bearer ${STUB_KEY}"),
    "basic": (
        {"basic": {"username": {"plain": "ada"}, "password": "${STUB_KEY}"}},
        "Basic <login>",
    ),
}


@pytest.mark.parametrize(("auth", "shown"), AUTH.values(), ids=AUTH)
def test_a_secret_that_a_server_repeats_reaches_neither_agents_nor_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, auth: Json, shown: str
) -> None:
    with http_stub() as upstream:
        server = {"url": f"{upstream.address}/repeating?key=${{STUB_KEY}}", "auth": auth}
        text = Gateway(tmp_path, {"up": server}).run(lambda door: door.text("up_echo"))

        sent = upstream.headers_seen("authorization").pop()
    assert sent is not None
    assert f"refused: {shown} at /repeating?key=${{STUB_KEY}}" in text
    assert sent not in logged(caplog) + text
    assert SECRET not in logged(caplog) + text


def test_an_address_with_a_key_is_not_in_what_authors_let_be_logged(tmp_path: Path) -> None:
    code = (
        "import logging\n\nlogging.basicConfig(level=logging.DEBUG)\n\n\n"
        "class Tools:\n    def here(self, params):\n        return 'here'\n"
    )
    local_tools = {"here": {"category": "all", "effect": "read", "summary": "A method"}}
    with http_stub() as upstream:
        servers = {"up": {"url": f"{upstream.address}/mcp?key=${{STUB_KEY}}"}}
        tools = local_tools | imported("up", stub.TOOLS)
        project = served_by(tmp_path, tools, code, servers=servers)
        with Stdio.of(project, "--log-level", "debug", STUB_KEY=SECRET) as server:
            here = server.request(1, "tools/call", name="here", arguments={})
            there = server.request(2, "tools/call", name="up_echo", arguments={"text": "there"})
            assert server.end() == 0

    assert [here["content"][0]["text"], there["content"][0]["text"]] == ["here", "there"]
    assert SECRET not in server.log


@pytest.mark.parametrize(
    ("value", "fact"),
    {
        "key\nX-More: yes": "holds a newline",
        "key-from-a-file\n": "holds a newline",
        "ключ": "another character that cannot be sent",
        " key": "begins or ends with a space",
    }.items(),
)
def test_a_value_that_no_header_can_hold_is_told_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, fact: str
) -> None:
    monkeypatch.setenv("STUB_KEY", value)
    with http_stub() as upstream:
        server = {"url": f"{upstream.address}/mcp", "headers": {"X-Key": "${STUB_KEY}"}}
        text = Gateway(tmp_path, {"up": server}).run(lambda door: door.text("up_echo"))

        assert not upstream.seen
    assert text.startswith("backend_failed: up: the value of its header X-Key ")
    assert fact in text
    assert value.strip() not in text


def test_a_server_that_asks_and_does_not_listen_takes_no_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-E", str(Path(deaf.__file__))]
    gateway = Gateway(tmp_path, {"deaf": {"command": command}}, imported("deaf", [deaf.TOOL]))

    async def calls(door: Door) -> tuple[str, int]:
        call = asyncio.get_running_loop().create_task(door.text("deaf_ask"))
        most = 0
        while not call.done():
            most = max(most, len(asyncio.all_tasks()))
            await asyncio.sleep(0)
        return await call, most

    text, most = gateway.run(calls)

    assert text == "asked"
    assert most < 1_000  # of 50,000


def test_a_list_without_end_is_given_up(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "_MOST_BYTES", 100_000)

    text = gateway.run(lambda door: door.text("endless_echo"))

    assert text == "backend_failed: endless: its list of tools does not end; 10 were read."


def test_definitions_that_are_none_leave_the_others_as_they_are(gateway: Gateway) -> None:
    async def calls(door: Door) -> list[str]:
        return [await door.text("odd_echo", {"text": "hi"}), await door.text("odd_pid")]

    echo, pid = gateway.run(calls)

    assert echo == "hi"
    assert pid.isdigit()  # of two of one name, the first


def test_a_definition_with_a_number_that_json_does_not_have_is_another_one(tmp_path: Path) -> None:
    properties = {"x-mcp-header": {"default": 1}}
    pinned = stub.definition("endless", {"type": "object", "properties": properties})
    server = stub_server(env={"STUB_LIST": "odd"})
    gateway = Gateway(tmp_path, {"odd": server}, imported("odd", [pinned]))

    text = gateway.run(lambda door: door.text("odd_endless"))

    assert text.startswith("definition_changed: endless of odd has changed")


def test_a_change_that_no_server_told_of_is_noticed_after_a_time(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def calls(door: Door) -> list[str]:
        await door.text("stub_swap")
        before = await door.text("stub_pid")
        monkeypatch.setattr(definitions, "_FRESH", 0.0)
        return [before, await door.text("stub_pid")]

    before, after = gateway.run(calls)

    # Believed for a while, and the stub runs what it does not list.
    assert before.isdigit()
    assert after.startswith("definition_changed: pid of stub is no longer one of its tools")


BROKEN: dict[str, Any] = {
    "text without text": {"type": "text"},
    "text without text ": {"type": "text", "text": 5},
    "image without data": {"type": "image", "mimeType": "image/png"},
    "audio without mimeType": {"type": "audio", "data": ""},
    "resource_link without name": {"type": "resource_link", "uri": "file:///x"},
    "resource without resource.uri": {"type": "resource", "resource": "x"},
    "resource without resource.text": {"type": "resource", "resource": {"uri": "file:///x"}},
}


@pytest.mark.parametrize(("fact", "block"), BROKEN.items(), ids=BROKEN)
def test_a_block_that_no_client_can_read_is_an_error(
    gateway: Gateway, fact: str, block: Json
) -> None:
    content = json.dumps([{"type": "text", "text": "fine"}, block])

    text = gateway.run(lambda door: door.text("stub_blocks", {"text": content}))

    assert text.startswith(
        f"invalid_result: the server of stub_blocks sent a block of kind {fact}".rstrip()
    )


def test_a_resource_with_content_is_passed_on(gateway: Gateway) -> None:
    block = {"type": "resource", "resource": {"uri": "file:///x", "blob": "eA=="}}
    given = {"text": json.dumps([block])}

    assert gateway.call("stub_blocks", given).content == (block,)
