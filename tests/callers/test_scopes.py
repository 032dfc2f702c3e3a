"""`scopes` on a tool: a caller without them is refused, whichever way the tool is called."""

from typing import Any, Final

import anyio
import pytest

from tests.callers.material import cursor_in, token_of
from tests.support import clients
from tests.support.clients import ERAS, MODERN, Era, connected, over_http, over_stdio
from tests.support.commands import toolfold
from tests.support.projects import Json, Project
from tests.support.servers import Listening, serve_command

LACKS: Final = (
    "forbidden: order needs the scopes orders:read, orders:write; the token lacks orders:write."
    ' Get a token with "orders:read orders:write".'
)
CHECKS_NONE: Final = (
    "forbidden: order needs the scopes orders:read, orders:write, and this server checks no tokens."
    " Whoever runs it must give it a --verifier."
)
WAYS: Final[list[tuple[str, Json]]] = [
    ("order", {"id": "A-1"}),
    ("order", {"nonsense": True}),
    ("run_write", {"tool": "order", "arguments": {"id": "A-1"}}),
    ("run_write", {"tool": "order", "cursor": "abc"}),
    ("run_write", {"tool": "running::order", "arguments": '{"id": "A-1"}'}),
]


@pytest.mark.parametrize(("name", "arguments"), WAYS)
def test_a_token_without_a_scope_is_told_which(
    name: str, arguments: Json, guarded: Listening
) -> None:
    server = over_http(guarded.url, token_of("ada", "orders:read", "orders:WRITE", "orders"))

    answer = clients.call(server, name, arguments)

    assert (answer.text, answer.is_error) == (LACKS, True)


@pytest.mark.parametrize("era", ERAS)
def test_a_token_with_the_scopes_is_answered(era: Era, guarded: Listening) -> None:
    server = over_http(guarded.url, token_of("ada", "orders:write", "more", "orders:read"))

    assert clients.call(server, "order", {"id": "A-1"}, era).text == "ran A-1"


def test_reading_on_needs_the_scopes_too(guarded: Listening) -> None:
    async def read() -> list[str]:
        texts = []
        async with connected(over_http(guarded.url, token_of("ada", "orders:read"))) as client:
            texts.append(clients.answer_of(await client.call_tool("list_orders", {})).text)
        on = {"tool": "list_orders", "cursor": cursor_in(texts[0])}
        for scopes in (["orders:read"], []):
            async with connected(over_http(guarded.url, token_of("ada", *scopes))) as client:
                texts.append(clients.answer_of(await client.call_tool("run_read", on)).text)
        return texts

    _, allowed, refused = anyio.run(read)

    assert "ada" in allowed
    assert refused.startswith("forbidden: list_orders needs the scope orders:read; ")


@pytest.mark.parametrize(("name", "arguments"), WAYS[:3])
def test_a_server_that_checks_no_tokens_runs_no_such_tool(
    name: str, arguments: Json, unguarded: Listening
) -> None:
    server = over_http(unguarded.url, token_of("ada", "orders:read", "orders:write"))

    assert clients.call(server, name, arguments).text == CHECKS_NONE


@pytest.mark.parametrize("era", ERAS)
def test_over_stdio_and_in_try_whoever_started_it_needs_none(era: Era, orders: Project) -> None:
    server: Any = over_stdio(serve_command(orders))

    assert clients.call(server, "order", {"id": "A-1"}, era).text == "ran A-1"
    if era == MODERN:
        tried = toolfold(orders.folder, "try", "order", '{"id": "A-1"}')
        assert (tried.code, tried.out) == (0, "ran A-1\n")


def test_everybody_is_listed_the_same_and_shown_what_a_tool_needs(guarded: Listening) -> None:
    few, many = (
        over_http(guarded.url, token_of("ada", *scopes)) for scopes in ([], ["orders:read"])
    )
    schema = {"tool": "order"}

    assert clients.names(few) == clients.names(many)
    shown = clients.call(over_http(guarded.url, token_of("ada")), "tool_schema", schema).text
    assert '"scopes":["orders:read","orders:write"]' in shown
