"""Both eras of the protocol on both sides, over stdio and HTTP; and a gateway before a gateway."""

import asyncio
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio
import pytest

from tests.support.clients import ERAS, Era, answer_of, connected
from tests.support.projects import Json, import_path
from tests.support.servers import Listening, free_port, listening, once_open, package_command
from tests.upstream import sdk_server
from tests.upstream.gateways import Door, Gateway, imported, stub_server
from tests.upstream.sdk_server import DEFINITIONS
from tests.upstream.stub import TOOLS

PROGRAM: Final = str(Path(sdk_server.__file__))
HTTP_KINDS: Final = {
    "json": (),
    "sse": ("sse",),
    "session": ("stateful",),
    "session_sse": ("stateful", "sse"),
}


@contextlib.contextmanager
def sdk_over_http(*options: str, port: int | None = None) -> Iterator[Listening]:
    """The SDK's server on a port."""
    port = port or free_port()
    code = f"from tests.upstream.sdk_server import main; main({[str(port), *options]!r})"
    with once_open(Listening([sys.executable, "-c", code], port)) as server:
        yield server


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    with contextlib.ExitStack() as stack:
        yield {
            name: stack.enter_context(sdk_over_http(*options)).url
            for name, options in HTTP_KINDS.items()
        }


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory, addresses: dict[str, str]) -> Gateway:
    servers: dict[str, Json] = {"sdk": {"command": [sys.executable, PROGRAM]}}
    servers |= {name: {"url": url} for name, url in addresses.items()}
    tools = {
        name: tool for server in servers for name, tool in imported(server, DEFINITIONS).items()
    }
    tools |= imported("stub", TOOLS)
    return Gateway(tmp_path_factory.mktemp("gateway"), servers | {"stub": stub_server()}, tools)


@pytest.mark.parametrize("era", ERAS)
def test_clients_of_either_era_reach_servers_of_either_era(gateway: Gateway, era: Era) -> None:
    async def asked() -> list[Any]:
        async with connected(gateway.project.server(), era) as client:
            found = []
            for server in ("sdk", "stub", *HTTP_KINDS):
                echo = answer_of(await client.call_tool(f"{server}_echo", {"text": server}))
                add = answer_of(await client.call_tool(f"{server}_add", {"number": 1}))
                found.append((echo.text, add.structured))
            return found

    expected = [(server, {"sum": 2}) for server in ("sdk", "stub", *HTTP_KINDS)]
    assert anyio.run(asked) == expected


def test_each_server_speaks_the_newest_protocol_that_it_can(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    async def calls(door: Door) -> None:
        for server in ("sdk", "stub", *HTTP_KINDS):
            await door.text(f"{server}_echo")

    gateway.run(calls)

    versions = {
        record.getMessage().partition(":")[0]: vars(record)["facts"]["protocol"]
        for record in caplog.records
        if record.getMessage().endswith(": connected")
    }
    modern = dict.fromkeys(("sdk", *HTTP_KINDS), "2026-07-28")
    assert versions == modern | {"stub": "2025-11-25"}


@pytest.mark.parametrize("server", ["sdk", "sse", "session_sse"])
def test_progress_comes_through(gateway: Gateway, server: str) -> None:
    told: list[object] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def asked() -> str:
        async with connected(gateway.project.server(), "legacy") as client:
            result = await client.call_tool(f"{server}_work", {}, progress_callback=on_progress)
            return answer_of(result).text

    assert anyio.run(asked) == "done"
    assert told == [(1, 2, "half")]


@pytest.mark.parametrize("policy", ["refuse", "off"])
def test_arguments_that_are_headers_too_are_sent_as_such(
    tmp_path: Path, addresses: dict[str, str], policy: str
) -> None:
    server = {"url": addresses["json"], "pin": policy}
    gateway = Gateway(tmp_path, {"up": server}, imported("up", DEFINITIONS))

    (text,) = gateway.call("up_region", {"region": "north"}).texts

    assert json.loads(text)["mcp-param-region"] == "north"


@pytest.mark.parametrize("kind", ["stdio", "sse"])  # the SDK's server does not, where it sends JSON
def test_cancelling_a_call_cancels_it_in_the_server(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.ExitStack() as stack:
        upstream: Listening | None = None
        server: Json = {"command": [sys.executable, PROGRAM]}
        if kind != "stdio":
            upstream = stack.enter_context(sdk_over_http(*HTTP_KINDS[kind]))
            server = {"url": upstream.url}
        gateway = Gateway(tmp_path, {"up": server}, imported("up", DEFINITIONS))

        def log() -> str:
            return upstream.log if upstream is not None else caplog.text

        async def calls(door: Door) -> None:
            await door.text("up_echo")
            held = asyncio.get_running_loop().create_task(door.text("up_wait", {"number": 600}))
            while "waiting in the server" not in log():
                await asyncio.sleep(0.01)
            held.cancel()
            while "cancelled in the server" not in log():
                await asyncio.sleep(0.01)

        gateway.run(calls)


@pytest.mark.parametrize("server", ["sdk", "json", "sse"])
def test_a_server_that_wants_input_gets_a_clear_answer(gateway: Gateway, server: str) -> None:
    text = gateway.run(lambda door: door.text(f"{server}_ask"))

    assert text.startswith(f"backend_failed: {server} asks its user something")


@pytest.mark.parametrize("kind", ["stdio", "http"])
def test_a_change_of_the_newer_era_is_noticed(tmp_path: Path, kind: str) -> None:
    async def calls(door: Door) -> str:
        assert await door.text("up_echo", {"text": "fine"}) == "fine"
        await door.text("up_change", {"text": "Another one"})
        while (text := await door.text("up_echo", {"text": "fine"})) == "fine":
            await asyncio.sleep(0.01)
        return text

    with contextlib.ExitStack() as stack:
        server: Json = {"command": [sys.executable, PROGRAM]}
        if kind == "http":
            server = {"url": stack.enter_context(sdk_over_http()).url}
        gateway = Gateway(tmp_path, {"up": server}, imported("up", DEFINITIONS))

        assert gateway.run(calls).startswith("definition_changed: echo of up has changed")


def test_a_server_over_http_that_restarts_is_used_again(tmp_path: Path) -> None:
    port = free_port()
    tools = imported("up", DEFINITIONS)
    gateway = Gateway(tmp_path, {"up": {"url": f"http://127.0.0.1:{port}/mcp"}}, tools)

    async def calls(door: Door) -> list[str]:
        texts = []
        for _ in range(2):
            server = await asyncio.to_thread(running.enter_context, sdk_over_http(port=port))
            texts.append(await door.text("up_echo", {"text": "up"}))
            await asyncio.to_thread(running.close)
            assert server.process.poll() is not None
            texts.append(await door.text("up_echo", {"text": "down"}))
        return texts

    with contextlib.ExitStack() as running:
        first, down, second, again = gateway.run(calls)

    assert (first, second) == ("up", "up")
    assert down.startswith("backend_failed: up: unreachable: no connection")
    assert again.startswith("backend_failed: up: unreachable: no connection")


@pytest.mark.parametrize("kind", ["stdio", "http"])
def test_a_gateway_before_a_gateway(tmp_path: Path, kind: str) -> None:
    inner = Gateway(tmp_path / "inner", {"stub": stub_server()}).project

    with contextlib.ExitStack() as stack:
        if kind == "http":
            server: Json = {"url": stack.enter_context(listening(inner)).url}
        else:
            env = {name: {"plain": value} for name, value in import_path(inner.output).items()}
            server = {"command": package_command(inner.package), "env": env}
        runner = {"name": "run_read", "inputSchema": {"type": "object"}}
        tools = imported("inner", [runner])
        outer = Gateway(tmp_path / "outer", {"inner": server | {"pin": "off"}}, tools)

        async def calls(door: Door) -> list[Any]:
            def given(tool: str, **arguments: Any) -> Json:
                return {
                    "tool": "inner::run_read",
                    "arguments": {"tool": tool, "arguments": arguments},
                }

            echo = await door.call("run_read", given("stub::echo", text="through two"))
            failed = await door.call("run_read", given("stub_fail"))
            picture = await door.call("run_read", given("stub_picture"))
            unknown = await door.call("run_read", given("no_such_tool"))
            return [
                echo.texts,
                (failed.is_error, failed.texts),
                [block["type"] for block in picture.content],
                picture.meta,
                (unknown.is_error, unknown.texts[0][:36]),
            ]

        assert outer.run(calls) == [
            ("through two",),
            (True, ("the disk is full; delete something",)),
            ["image", "resource_link"],
            {"example.com/trace": "abc"},
            (True, 'unknown_tool: no tool "no_such_tool"'),
        ]
