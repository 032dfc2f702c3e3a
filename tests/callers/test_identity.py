"""`caller()` in a method: who it is, over each transport and in both eras."""

import json
from typing import Any, Final

import anyio
import pytest
import toolfold_runtime

from tests.callers.material import token_of
from tests.support.clients import ERAS, MODERN, Era, answer_of, connected, over_http, over_stdio
from tests.support.projects import Json, Project
from tests.support.servers import Listening, serve_command

METHODS: Final = ["who", "who_blocking"]
IDENTITY: Final = ("issuer", "subject", "client", "scopes", "claims")


async def asked(server: Any, era: Era, *names: str) -> list[Json]:
    """What each of these tools knows of its caller."""
    async with connected(server, era) as client:
        return [json.loads(answer_of(await client.call_tool(name, {})).text) for name in names]


@pytest.mark.parametrize("era", ERAS)
def test_a_method_knows_the_verified_identity(era: Era, guarded: Listening) -> None:
    token = token_of("ada", "orders:read", org="acme", iss="https://own.example")

    for who in anyio.run(asked, over_http(guarded.url, token), era, *METHODS):
        assert [who[field] for field in IDENTITY] == [
            "https://own.example",
            "ada",
            "desk",
            ["orders:read"],
            {"org": "acme", "iss": "https://own.example"},
        ]
        assert who["is_local"] is False
        assert who["request_id"] is not None
        # An older client says who it is once, to a server that remembers nothing.
        assert (who["client_name"], who["client_version"]) == (
            ("mcp", "0.1.0") if era == MODERN else (None, None)
        )


def test_the_issuer_is_the_servers_where_a_token_names_none(guarded: Listening) -> None:
    (who,) = anyio.run(asked, over_http(guarded.url, token_of(None)), MODERN, "who")

    assert (who["issuer"], who["subject"]) == ("https://login.example", None)


@pytest.mark.parametrize("era", ERAS)
def test_over_stdio_there_is_no_identity_and_the_client_is_named(era: Era, orders: Project) -> None:
    for who in anyio.run(asked, over_stdio(serve_command(orders)), era, *METHODS):
        assert [who[field] for field in IDENTITY] == [None] * 5
        assert (who["client_name"], who["is_local"]) == ("mcp", True)


def test_over_http_without_a_verifier_a_token_means_nothing(unguarded: Listening) -> None:
    server = over_http(unguarded.url, token_of("ada", "orders:read"))

    for who in anyio.run(asked, server, MODERN, *METHODS):
        assert [who[field] for field in IDENTITY] == [None] * 5
        assert who["is_local"] is False


def test_outside_a_call_nothing_is_known() -> None:
    assert toolfold_runtime.caller() == toolfold_runtime.Caller()
    assert toolfold_runtime.caller().is_local is False
