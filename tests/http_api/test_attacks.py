"""Arguments, answers and redirects that try to lead elsewhere: none gets through."""

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold.compile import compile_manifest
from toolfold.errors import ManifestError
from toolfold_runtime.contract.http import HttpOperation, HttpParameter
from toolfold_runtime.contract.upstream import ApiKeyAuth, UpstreamAuth, UpstreamServer
from toolfold_runtime.http_api.address import base_of
from toolfold_runtime.http_api.errors import ArgumentError
from toolfold_runtime.http_api.request import ApiRequest, request_of
from toolfold_runtime.http_api.send import Api
from toolfold_runtime.upstream.errors import UpstreamError
from toolfold_runtime.upstream.pool import HttpPool

from tests.http_api.apis import MANIFEST, SECRET, Door, World, operation
from tests.http_api.recorder import Reply, Sent, json_reply, recorder
from tests.support.projects import write_manifest

TRAVERSALS: Final = [
    "..",
    ".",
    "../admin",
    "x/../../admin",
    "./x",
    "%2e%2e",
    "%2E%2e/admin",
    "%252e%252e",
    "%25252e%25252e%25252fadmin",
    "..%2fadmin",
    "..%5cadmin",
    "..\\admin",
    "a\\b",
    "%5c",
    "..;/admin",
    "..;x=1",
    ".. ",
    "%2e%2e%20/admin",
    "..?x",
    "..#x",
    "%2e%2e%3b/admin",
    "\u2025",
    "\uff0e\uff0e",
    "\uff0e\uff0e\uff0fadmin",
    "a\x00b",
    "%00",
    "a\r\nhost: evil",
    "%0d%0aset-cookie: x",
    "a\x7fb",
    "",
]


@pytest.mark.parametrize("value", TRAVERSALS)
def test_no_path_argument_leads_to_another_path(world: World, value: str) -> None:
    async def calls(door: Door) -> tuple[str, int]:
        return await door.call("get_item", id=value), len(door.server.sent)

    text, sent = world.run(calls)

    assert text.startswith(
        "invalid_arguments: invalid arguments for get_item:\n- id: is sent in the path"
    )
    assert sent == 0


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("two_parts", {"a": ".", "b": "."}),
        ("two_parts", {"a": "%2", "b": "e."}),
        ("two_parts", {"a": ".", "b": "%2e"}),
        ("label", {"a": "."}),
        ("label", {"a": "./admin"}),
        ("label", {"a": ""}),
    ],
)
def test_texts_that_are_harmless_alone_are_looked_at_together(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    async def calls(door: Door) -> tuple[str, int]:
        return await door.call(tool, **arguments), len(door.server.sent)

    text, sent = world.run(calls)

    assert (text.split(":")[0], sent) == ("invalid_arguments", 0)


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("//evil.example", "/v1/items/%2F%2Fevil.example"),
        ("http://evil.example/x", "/v1/items/http%3A%2F%2Fevil.example%2Fx"),
        ("@evil.example", "/v1/items/%40evil.example"),
        ("1?admin=1", "/v1/items/1%3Fadmin%3D1"),
        ("1#x", "/v1/items/1%23x"),
        ("docs/read me.md", "/v1/items/docs%2Fread%20me.md"),
        ("...", "/v1/items/..."),
        ("100%", "/v1/items/100%25"),
        ("..x", "/v1/items/..x"),
    ],
)
def test_what_is_harmless_stays_within_its_segment(world: World, value: str, target: str) -> None:
    async def calls(door: Door) -> str:
        await door.call("get_item", id=value)
        return door.target

    assert world.run(calls) == target


@settings(max_examples=300)
@given(st.text(st.characters(), max_size=30))
def test_no_text_whatever_changes_origin_or_depth(text: str) -> None:
    parameter = HttpParameter("id", "id", "path", "simple", False)
    operation = HttpOperation("api", "GET", "/items/{id}", (parameter,))
    base = base_of("https://api.example.com:8443/v1/")
    try:
        made = request_of(base, operation, {"id": text})
    except ArgumentError:
        return

    assert made.url.startswith("https://api.example.com:8443/v1/items/")
    assert made.url.count("/") == 5
    assert not {*made.url} & {*"?#\\ \r\n"}


@settings(max_examples=200)
@given(st.text(max_size=20), st.text(max_size=20))
def test_no_query_argument_adds_another_one(name: str, value: str) -> None:
    parameter = HttpParameter("q", name or "q", "query", "form", True)
    operation = HttpOperation("api", "GET", "/items", (parameter,))
    try:
        made = request_of(base_of("https://h"), operation, {"q": value})
    except ArgumentError:
        return

    query = made.url.removeprefix("https://h/items?")
    assert query.count("=") == 1
    assert not {*query} & {*"&#+ \r\n"}


@pytest.mark.parametrize(
    "value", ["x\r\nhost: evil", "x\nauthorization: y", "x\x00", "\x0b", "ü", "x\u2028y"]
)
def test_no_header_argument_adds_another_one(world: World, value: str) -> None:
    async def calls(door: Door) -> tuple[str, int]:
        return await door.call("send_header", trace=value), len(door.server.sent)

    text, sent = world.run(calls)

    assert (text.split(":")[0], sent) == ("invalid_arguments", 0)


@pytest.mark.parametrize(
    ("tool", "arguments", "place", "value"),
    [
        ("pose_by_header", {"key": "stolen"}, "x-key", SECRET),
        ("pose_by_cookie", {"sid": "stolen"}, "cookie", f"sid={SECRET}"),
        ("pose_by_query", {"key": "stolen", "other": "a,b"}, "query", "other=a%2Cb&key=SECRET"),
        ("pose_by_query", {"all": {"key": "stolen", "k%65y": 1}}, "query", "k%2565y=1&key=SECRET"),
    ],
)
def test_no_argument_stands_beside_the_gateways_own_credentials(
    world: World, tool: str, arguments: dict[str, Any], place: str, value: str
) -> None:
    async def calls(door: Door) -> str:
        await door.call(tool, **arguments)
        sent = door.server.sent[0]
        return sent.query if place == "query" else sent.header(place)

    assert world.run(calls) == value.replace("=SECRET", "=s3cret%2Fkey%2B4242")


@pytest.mark.parametrize(
    "name", ["Host", "content-length", "Transfer-Encoding", "AUTHORIZATION", "Cookie", "a b", "x:y"]
)
def test_no_argument_is_a_header_that_leads_or_frames_a_request(tmp_path: Path, name: str) -> None:
    parameters = {"where": {"in": "header", "name": name}}
    tool = operation("GET /x", {"where": {"type": "string"}}, request={"parameters": parameters})
    write_manifest(tmp_path, {**MANIFEST, "tools": {"x": tool}})

    with pytest.raises(ManifestError) as caught:
        compile_manifest(tmp_path / "tools.yaml")

    (problem,) = caught.value.problems
    assert problem.path.startswith("tools.x.backend.request.parameters.where.")
    assert name in problem.fact


def test_half_of_a_surrogate_pair_is_refused(world: World) -> None:
    for tool, argument in (("get_item", "id"), ("create_item", "name"), ("by_cursor", "cursor")):
        given: dict[str, Any] = {argument: "a\ud800"}
        text = world.call(tool, **given)
        assert text.startswith("invalid_arguments")


def redirecting(world: World, tool: str, status: int, location: str) -> tuple[str, list[Sent], int]:
    """A call to an API that redirects once; and how many requests reached another origin."""

    async def within() -> tuple[str, list[Sent], int]:
        async with recorder() as other:
            has_redirected = False

            def answer(sent: Sent) -> Reply:
                nonlocal has_redirected
                if has_redirected:
                    return json_reply({"id": 1})
                has_redirected = True
                where = location.replace("OTHER", str(other.port))
                return Reply(status, b"", {"location": where})

            async with recorder(answer) as server:
                with world.door(server) as door:
                    where: dict[str, Any] = {"name": "x"} if tool == "create_item" else {"id": "1"}
                    text = await door.call(tool, **where)
                    await door.backend.close()
                    return text, server.sent, len(other.sent)

    return asyncio.run(within())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:OTHER/",
        "http://localhost:OTHER/",
        "//127.0.0.1:OTHER/",
        "https://127.0.0.1/",
        "http://127.0.0.1@localhost:OTHER/",
        "http://user:password@127.0.0.1:OTHER/",
        "http://127.0.0.1:OTHER\\@x/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://[::1]:OTHER/",
        "http://169.254.169.254/latest/meta-data",
        "http://[",
    ],
)
def test_no_redirect_leads_to_another_origin(world: World, status: int, location: str) -> None:
    text, sent, reached = redirecting(world, "at_header", status, location)

    assert (len(sent), reached) == (1, 0)
    assert text == (
        "backend_failed: header: it redirects to another origin, which is not followed."
    )


@pytest.mark.parametrize(
    "location", ["/v2/items/1", "../other", "?page=2", "http://127.0.0.1:PORT/x"]
)
def test_a_redirect_within_the_origin_is_followed_with_credentials(
    world: World, location: str
) -> None:
    async def calls(door: Door) -> tuple[str, list[str]]:
        where = location.replace("PORT", str(door.server.port))
        door.server.answer = lambda sent: (
            Reply(302, b"", {"location": where}) if len(door.server.sent) == 1 else json_reply({})
        )
        text = await door.call("at_header", id="1")
        return text, [sent.header("x-key") for sent in door.server.sent]

    assert world.run(calls) == ("{}", [SECRET, SECRET])


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_what_writes_is_not_sent_to_where_a_redirect_leads(world: World, status: int) -> None:
    text, sent, _ = redirecting(world, "create_item", status, "/v2/items")

    assert len(sent) == 1
    assert f"it redirects a POST with HTTP {status}, which is not followed" in text


def test_see_other_is_looked_at_without_writing_again(world: World) -> None:
    text, sent, _ = redirecting(world, "create_item", 303, "/v1/items/1")

    assert text == '{"id":1}'
    assert [(one.method, one.target, one.body) for one in sent] == [
        ("POST", "/v1/items", b'{"name":"x"}'),
        ("GET", "/v1/items/1", b""),
    ]


def test_redirects_in_a_circle_end(world: World) -> None:
    text = world.call("at_once", lambda sent: Reply(302, b"", {"location": "/v1/x"}), id="1")

    assert text == "backend_failed: once: it redirects more than 5 times."


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:{port}/",
        "https://127.0.0.1:{port}/",
        "http://127.0.0.1:1/",
        "http://u:p@127.0.0.1:{port}/",
    ],
)
def test_a_request_to_another_origin_is_not_sent_whoever_made_it(url: str) -> None:
    async def within() -> int:
        async with recorder() as server:
            pool = HttpPool()
            auth = UpstreamAuth(api_key=ApiKeyAuth("x", "y"))
            api = Api(UpstreamServer("api", url=server.url, auth=auth), pool)
            made = ApiRequest("GET", url.format(port=server.port), {"accept": "*/*"})
            with pytest.raises(UpstreamError, match="another origin"):
                await api.send(made, lambda: 10.0, may_repeat=True)
            await pool.close()
            return len(server.sent)

    assert asyncio.run(within()) == 0


@pytest.mark.parametrize(
    "url",
    [
        "ftp://h/",
        "https://u:p@h/",
        "https:///x",
        "https://h\\@evil/",
        "https://h /x",
        "h",
        "https://",
    ],
)
def test_a_declared_address_is_one_of_an_origin(url: str) -> None:
    with pytest.raises(ValueError, match="origin"):
        base_of(url)


def test_proxies_and_netrc_of_the_environment_are_nothing_to_us(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert world.call("at_api", id="1") == '{"ok":true}'
