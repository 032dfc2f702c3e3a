"""Requests that are sent again, and those that never are; how long is waited."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from toolfold_runtime.http_api.pace import wait_before

from tests.http_api.apis import Door, World
from tests.http_api.recorder import Answering, Reply, Sent, json_reply


def statuses(*given: int, **headers: str) -> Answering:
    """Answers with these statuses, one after the other, then with success."""
    left = list(given)

    def answer(sent: Sent) -> Reply:
        return json_reply({"message": "busy"}, left.pop(0), **headers) if left else json_reply({})

    return answer


def attempts(world: World, tool: str, answer: Answering, **arguments: Any) -> tuple[str, int]:
    """The text of a call, and how many requests it took."""

    async def calls(door: Door) -> tuple[str, int]:
        return await door.call(tool, **arguments), len(door.server.sent)

    return world.run(calls, answer)


@pytest.mark.parametrize("status", [429, 502, 503, 504, 408])
def test_what_may_be_repeated_is_tried_again(world: World, status: int) -> None:
    answer = statuses(status, status, retry_after="0")

    assert attempts(world, "get_item", answer, id="1")[1] == 3


@pytest.mark.parametrize(
    ("tool", "arguments", "sent"),
    [
        ("put_item", {"id": "1"}, 3),
        ("delete_item", {"id": "1"}, 3),
        ("head_item", {"id": "1"}, 3),
        ("search_items", {"query": "x"}, 3),
        ("create_item", {"name": "x"}, 1),
        ("guessed_search", {"query": "x"}, 1),
        ("at_once", {"id": "1"}, 1),
    ],
)
def test_a_method_and_an_effect_say_what_may_be_repeated(
    world: World, tool: str, arguments: dict[str, str], sent: int
) -> None:
    assert attempts(world, tool, statuses(503, 503, retry_after="0"), **arguments)[1] == sent


def test_a_wait_that_is_no_number_for_anybody_is_not_repeated(world: World) -> None:
    text, _ = attempts(world, "create_item", statuses(429, retry_after="9" * 5_000), name="x")

    assert text.splitlines()[-1] == "Try again later, and ask for less at once."


def test_a_post_is_not_repeated_when_the_connection_breaks(world: World) -> None:
    def answer(sent: Sent) -> Reply:
        return Reply(raw=b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")

    text, count = attempts(world, "create_item", answer, name="x")

    assert count == 1
    assert text == (
        "backend_failed: api: the connection broke before its answer was complete."
        " It may have been carried out all the same. Other tools are not affected."
    )


def test_a_post_is_not_repeated_when_what_it_leads_to_cannot_be_reached(world: World) -> None:
    async def calls(door: Door) -> tuple[str, list[str]]:
        def answer(sent: Sent) -> Reply:
            door.server.stop()  # nobody takes the next connection
            return Reply(303, b"", {"location": "/v1/items/1", "connection": "close"})

        door.server.answer = answer
        text = await door.call("create_item", name="x")
        return text, [sent.method for sent in door.server.sent]

    text, methods = world.run(calls)

    assert methods == ["POST"]
    assert "It may have been carried out all the same." in text


def test_a_post_that_takes_too_long_is_not_said_to_have_failed(world: World) -> None:
    async def never(sent: Sent) -> Reply:
        await asyncio.Event().wait()
        return Reply()

    text = world.call("create_hurriedly", never)

    assert "did not answer within 0.5 s: it may have been carried out all the same" in text


def test_a_truncated_answer_is_asked_for_again(world: World) -> None:
    raw = [b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{", b""]

    def answer(sent: Sent) -> Reply:
        return Reply(raw=raw.pop(0)) if raw else json_reply({"id": 1})

    assert attempts(world, "get_item", answer, id="1") == ('{"id":1}', 3)


def test_the_api_says_how_long_to_wait_and_nobody_waits_longer_than_a_call_has(
    world: World,
) -> None:
    text, count = attempts(world, "at_hurried", statuses(429, retry_after="30"), id="1")

    assert count == 1
    assert text == (
        "backend_failed: hurried answered GET /items/{id} with HTTP 429 (Reason).\n"
        'It says: {"message":"busy"}\n'
        "Try again in 30 seconds, and ask for less at once."
    )


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("Wed, 18 Nov 2026 20:00:09 GMT", 9.0), ("Wed, 18 Nov 2026 19:00:00 GMT", 0.0)],
)
def test_a_wait_is_a_number_or_a_date(value: str, seconds: float) -> None:
    now = datetime(2026, 11, 18, 20, tzinfo=UTC)

    assert wait_before(0, {"retry-after": value}, now) == seconds


def test_waits_grow_without_end_of_patience() -> None:
    waits = [wait_before(attempt, {"retry-after": "soon"}) for attempt in range(12)]
    waits.append(wait_before(12, {"retry-after": "Wed, 18 Nov 99999999999 20:00:09 GMT"}))

    assert all(0 < wait <= 8 for wait in waits)
    assert waits[0] < 0.3 < 3 < waits[-2]
    assert timedelta(seconds=sum(waits)) < timedelta(minutes=2)


def test_a_server_that_closes_every_connection_is_named(world: World) -> None:
    text, count = attempts(world, "at_once", lambda sent: Reply(raw=b""), id="1")

    assert count == 1
    assert "once: the connection broke" in text


def test_requests_are_paced(world: World) -> None:
    async def calls(door: Door) -> float:
        loop = asyncio.get_running_loop()
        begin = loop.time()
        await asyncio.gather(*(door.call("at_paced", id=str(number)) for number in range(25)))
        return loop.time() - begin

    # Twenty a second, of which a second's worth may come at once.
    assert world.run(calls) >= 5 / 20 * 0.9
