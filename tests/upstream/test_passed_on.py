"""What other servers answer reaches clients as it came, within our limits."""

import json
from typing import Any

import anyio
import pytest
from toolfold_runtime import ToolError

from tests.support.clients import ERAS, Era, connected
from tests.support.projects import Json
from tests.support.servers import Stdio
from tests.upstream.gateways import Door, Gateway, imported, stub_server
from tests.upstream.stub import PIXEL, TOOLS


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    return Gateway(tmp_path_factory.mktemp("gateway"), {"stub": stub_server()})


def raw(gateway: Gateway, name: str, **arguments: Any) -> Json:
    """The result of a call over stdio, as it was sent."""
    with Stdio.of(gateway.project) as server:
        return server.request(1, "tools/call", name=name, arguments=arguments)


def test_structured_content_and_its_text_are_passed_on(gateway: Gateway) -> None:
    reply = gateway.call("stub_add", {"number": 4})

    assert (reply.texts, reply.structured) == (('{"sum": 5}',), {"sum": 5})


def test_pictures_links_annotations_and_meta_are_sent_as_they_came(gateway: Gateway) -> None:
    assert raw(gateway, "stub_picture") == {
        "content": [
            {
                "type": "image",
                "data": PIXEL,
                "mimeType": "image/png",
                "annotations": {"audience": ["user"], "priority": 0.5},
            },
            {"type": "resource_link", "uri": "file:///x", "name": "x", "vendor": {"kept": True}},
        ],
        "_meta": {"example.com/trace": "abc"},
    }


def test_content_of_a_kind_that_nobody_knows_is_sent_as_it_came(gateway: Gateway) -> None:
    assert raw(gateway, "stub_strange") == {
        "content": [{"type": "hologram", "shape": {"faces": 6}}]
    }


@pytest.mark.parametrize("era", ERAS)
def test_an_error_of_a_tool_is_in_its_own_words(gateway: Gateway, era: Era) -> None:
    async def ask() -> Any:
        async with connected(gateway.project.server(), era) as client:
            return await client.call_tool("stub_fail", {})

    result = anyio.run(ask)

    assert result.is_error
    assert [block.text for block in result.content] == ["the disk is full; delete something"]


def test_an_error_of_the_protocol_is_told_with_its_code_and_words(gateway: Gateway) -> None:
    with pytest.raises(ToolError, match=r"stub: answered with error -32602: no such thing\.$"):
        gateway.call("stub_refuse")


def test_a_result_that_breaks_its_own_schema_is_an_error_with_the_words_of_the_server(
    gateway: Gateway,
) -> None:
    with pytest.raises(ToolError) as caught:
        gateway.call("stub_promise", {"number": 1})

    assert caught.value.code == "invalid_result"
    assert "sum: expected integer" in caught.value.text
    assert caught.value.text.endswith("It said: all is well")


def test_a_runner_passes_on_a_result_that_breaks_its_own_schema_with_a_note(
    gateway: Gateway,
) -> None:
    reply = gateway.call("run_read", {"tool": "stub_promise", "arguments": {"number": 1}})

    assert reply.texts[0] == "all is well"
    assert reply.structured == {"sum": "many"}
    assert "breaks the tool's own schema: sum: expected integer" in reply.texts[1]


def test_a_promised_result_without_structured_content_is_an_error(gateway: Gateway) -> None:
    tools = imported("stub", [{**TOOLS[0], "outputSchema": {"type": "object"}}])
    folder = gateway.project.folder / "promising"
    promising = Gateway(folder, {"stub": stub_server(pin="off")}, tools)

    with pytest.raises(ToolError, match="it has no structured content"):
        promising.call("stub_echo", {"text": "hello"})


def test_fields_can_be_chosen_from_structured_content_and_from_json_in_a_text(
    gateway: Gateway,
) -> None:
    async def calls(door: Door) -> list[str]:
        add = {"tool": "stub_add", "arguments": {"number": 1}, "fields": "sum"}
        text = json.dumps({"a": 1, "b": {"c": 2}})
        echo = {"tool": "stub_echo", "arguments": {"text": text}, "fields": "b.c"}
        return [await door.text("run_read", add), await door.text("run_read", echo)]

    assert gateway.run(calls) == ['{"sum":2}', '{"b":{"c":2}}']


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    folder = tmp_path_factory.mktemp("budget")
    tools = imported("stub", TOOLS, budget=100)
    return Gateway(folder, {"stub": stub_server()}, tools)


def test_a_text_over_its_budget_is_truncated_and_can_be_read_on(small: Gateway) -> None:
    text = " ".join(f"word{number}" for number in range(200))

    async def calls(door: Door) -> str:
        reply = await door.call("stub_echo", {"text": text})
        parts = []
        while reply.texts[-1].startswith("left out"):
            parts.append(reply.texts[0])
            asked = json.loads(reply.texts[-1].partition("run_read(")[2].rstrip(")"))
            reply = await door.call("run_read", asked)
        return "".join([*parts, reply.texts[0]])

    assert small.run(calls) == text


def test_what_fits_its_budget_is_not_touched(small: Gateway) -> None:
    assert small.call("stub_echo", {"text": "short"}).texts == ("short",)


def test_an_error_over_its_budget_is_truncated_too(small: Gateway) -> None:
    reply = small.call("stub_fail")

    assert reply.is_error


def test_results_of_tools_that_are_cached_are_given_again_and_errors_are_not(
    gateway: Gateway,
) -> None:
    folder = gateway.project.folder / "cached"
    tools = imported("stub", TOOLS, cache={"ttl": 600})
    cached = Gateway(folder, {"stub": stub_server()}, tools)

    async def calls(door: Door) -> list[object]:
        first = await door.text("stub_remember", {"text": "a"})
        second = await door.text("stub_remember", {"text": "a"})
        failed = [await door.call("stub_fail") for _ in range(2)]
        counts = door.dispatcher.executor.cache.counts
        return [first, second, failed[1].is_error, counts.hits]

    assert cached.run(calls) == ["a", "a", True, 1]


def test_more_than_can_be_sent_is_refused(gateway: Gateway) -> None:
    async def calls(door: Door) -> list[str]:
        return [
            await door.text("stub_big", {"number": 17_000_000}),
            await door.text("stub_big", {"number": 33_000_000}),
            await door.text("stub_echo", {"text": "still here"}),
        ]

    too_large, too_long, after = gateway.run(calls)

    assert too_large.startswith("budget_exceeded: the result of stub_big has more than 16,000,000")
    assert "an answer that cannot be read: more than 32,000,000 bytes" in too_long
    assert after == "still here"
