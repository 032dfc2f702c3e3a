"""A tool that is an operation: one request of its API, written from the arguments, authorized by the gateway."""

import asyncio
from base64 import b64encode

import pytest
from toolfold_runtime.running.backends.several import upstream_states
from toolfold_runtime.running.caller import Caller

from tests.http_api.apis import SECRET, Door, World
from tests.http_api.recorder import Reply, Sent, json_reply


def test_arguments_are_sent_in_the_path_and_in_the_query(world: World) -> None:
    async def calls(door: Door) -> tuple[str, str, str]:
        text = await door.call("list_issues", owner="a b", labels=["x", "y,z"], page=2)
        return text, door.server.sent[0].method, door.target

    assert world.run(calls) == (
        '{"ok":true}',
        "GET",
        "/v1/repos/a%20b/issues?labels=x,y%2Cz&page=2",
    )


def test_arguments_are_sent_as_a_body(world: World) -> None:
    async def calls(door: Door) -> tuple[str, bytes]:
        await door.call("create_item", name="ä")
        return door.server.sent[0].header("content-type"), door.server.sent[0].body

    assert world.run(calls) == ("application/json", '{"name":"ä"}'.encode())


def test_a_file_is_sent_as_a_part_of_its_own(world: World) -> None:
    async def calls(door: Door) -> list[bytes]:
        await door.call("upload", note="n", file={"name": "a.bin", "base64": "/w=="})
        return door.server.sent[0].body.split(b"\r\n")[:-1]

    mark, *lines = world.run(calls)

    assert lines == [
        b'content-disposition: form-data; name="comment"',
        b"",
        b"n",
        mark,
        b'content-disposition: form-data; name="file"; filename="a.bin"',
        b"content-type: text/plain",
        b"",
        b"\xff",
        mark + b"--",
    ]


@pytest.mark.parametrize(
    ("tool", "header", "value"),
    [
        ("at_bearer", "authorization", f"Bearer {SECRET}"),
        ("at_basic", "authorization", f"Basic {b64encode(f'ada:{SECRET}'.encode()).decode()}"),
        ("at_header", "x-key", SECRET),
        ("at_cookie", "cookie", f"sid={SECRET}"),
        ("at_api", "authorization", ""),
    ],
)
def test_the_gateways_own_credentials_are_sent(
    world: World, tool: str, header: str, value: str
) -> None:
    async def calls(door: Door) -> str:
        await door.call(tool, id="1")
        return door.server.sent[0].header(header)

    assert world.run(calls) == value


def test_a_key_in_the_query_leaves_the_rest_of_it_as_it_is_written(world: World) -> None:
    async def calls(door: Door) -> str:
        await door.call("at_query", id="1")
        return door.target

    assert world.run(calls) == "/v1/items/1?key=s3cret%2Fkey%2B4242"


def test_a_cookie_of_the_callers_stands_beside_that_of_the_gateway(world: World) -> None:
    async def calls(door: Door) -> str:
        await door.call("send_cookie", theme="dark; sid=stolen")
        return door.server.sent[0].header("cookie")

    assert world.run(calls) == f"theme=dark%3B%20sid%3Dstolen; sid={SECRET}"


def test_a_callers_own_token_is_never_passed_on(world: World) -> None:
    async def calls(door: Door) -> list[tuple[str, str]]:
        for user in ("ada", "bob"):
            claims = {"token": f"token-of-{user}"}
            caller = Caller(subject=user, claims=claims)
            await door.call("at_bearer", caller, id="1")
        return [header for sent in door.server.sent for header in sent.headers]

    sent = world.run(calls)

    assert "token-of" not in repr(sent)
    assert [value for name, value in sent if name == "authorization"] == [f"Bearer {SECRET}"] * 2


def test_a_token_is_fetched_once_and_again_when_it_is_refused(world: World) -> None:
    given: list[str] = []

    def answer(sent: Sent) -> Reply:
        if sent.target == "/token":
            given.append(f"token-{len(given)}")
            return json_reply({"access_token": given[-1], "expires_in": 3600})
        is_known = sent.header("authorization") == f"Bearer {given[-1]}"
        return json_reply({"ok": True}) if is_known else json_reply({}, 401)

    async def calls(door: Door) -> list[str]:
        texts = [await door.call("at_tokens", id="1") for _ in range(2)]
        given.append("revoked the others")
        texts.append(await door.call("at_tokens", id="1"))
        return [*texts, *(sent.target for sent in door.server.sent)]

    texts = world.run(calls, answer)

    assert texts[:3] == ['{"ok":true}'] * 3
    assert texts[3:] == ["/token", *["/v1/items/1"] * 3, "/token", "/v1/items/1"]


def test_calls_whose_token_is_refused_together_share_another(world: World) -> None:
    given: list[str] = []

    def answer(sent: Sent) -> Reply:
        if sent.target == "/token":
            given.append(f"token-{len(given)}")
            return json_reply({"access_token": given[-1], "expires_in": 3600})
        is_known = sent.header("authorization") == f"Bearer {given[-1]}"
        return json_reply({"ok": True}) if is_known else json_reply({}, 401)

    async def calls(door: Door) -> list[str]:
        await door.call("at_tokens", id="1")
        given.append("revoked the others")
        return await asyncio.gather(*(door.call("at_tokens", id=str(n)) for n in range(5)))

    assert world.run(calls, answer) == ['{"ok":true}'] * 5
    assert len(given) == 3


def test_a_body_that_is_required_is_sent_also_when_nothing_is_given(world: World) -> None:
    async def calls(door: Door) -> list[bytes]:
        await door.call("change_item")
        await door.call("create_item")
        return [sent.body for sent in door.server.sent]

    assert world.run(calls) == [b"{}", b""]


def test_what_only_tells_operations_apart_takes_nothing_of_the_query(world: World) -> None:
    async def calls(door: Door) -> str:
        await door.call("at_target", limit="5")
        return door.target

    assert world.run(calls) == "/v1/?v=1&limit=5"


def test_a_missing_variable_is_named_and_nothing_is_sent(world: World) -> None:
    async def calls(door: Door) -> tuple[str, int]:
        return await door.call("at_unset", id="1"), len(door.server.sent)

    text, sent = world.run(calls)

    assert text.startswith("backend_failed: unset: the environment variable NOBODY_SETS_THIS")
    assert sent == 0


def test_an_answer_is_given_again_where_the_tool_says_so(world: World) -> None:
    async def calls(door: Door) -> int:
        for _ in range(3):
            await door.call("cached_item", id="1")
        return len(door.server.sent)

    assert world.run(calls) == 1


def test_an_answer_is_truncated_to_the_tools_budget(world: World) -> None:
    items = [{"id": number, "name": "x" * 30} for number in range(50)]

    text = world.call("short_item", lambda sent: json_reply(items), id="1")

    assert len(text) < 600
    assert "left out:" in text


def test_calls_and_failures_are_counted_by_api(world: World) -> None:
    async def calls(door: Door) -> list[tuple[str, str, int, int]]:
        await door.call("at_api", id="1")
        await door.call("at_api", id="..")
        states = upstream_states(door.backend)
        return [(s.name, s.status, s.calls, s.failed_calls) for s in states if s.calls]

    assert world.run(calls) == [("api", "connected", 2, 1)]


def test_an_api_is_told_who_calls_and_what_it_may_answer(world: World) -> None:
    async def calls(door: Door) -> dict[str, str]:
        await door.call("at_api", id="1")
        return dict(door.server.sent[0].headers)

    headers = world.run(calls)

    assert headers["user-agent"].startswith("toolfold/")
    assert headers["accept"] == "application/json, */*;q=0.1"
    assert headers["accept-encoding"] == "gzip, deflate"


def test_what_comes_back_is_compared_with_the_document_and_passed_on(world: World) -> None:
    wrong = {"id": "seven", "name": "x"}

    text = world.call("get_item", lambda sent: json_reply(wrong), id="7")

    assert text.splitlines() == [
        '{"id":"seven","name":"x"}',
        'note: the answer differs from the API\'s document: id: expected integer, got string "seven"',
    ]
    assert world.call("get_item", lambda sent: json_reply({"id": 7}), id="7") == '{"id":7}'
