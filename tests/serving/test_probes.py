"""Whether a server lives and is ready can be asked by whoever reaches it, without a token."""

import pytest

from tests.support.servers import Listening

PATHS = ["/livez", "/readyz"]


@pytest.mark.parametrize("path", PATHS)
def test_a_server_that_serves_is_alive_and_ready(path: str, guarded: Listening) -> None:
    answer = guarded.get(path)

    assert (answer.status, answer.body) == (200, "ok")
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", PATHS)
def test_a_probe_may_ask_for_the_head_only(path: str, guarded: Listening) -> None:
    answer = guarded.request("HEAD", path, None, {})

    assert (answer.status, answer.body) == (200, "")
    assert answer.headers["content-length"] == "2"


@pytest.mark.parametrize("path", PATHS)
def test_a_token_that_a_probe_brings_is_not_looked_at(path: str, guarded: Listening) -> None:
    assert guarded.request("GET", path, None, {"Authorization": "Bearer wrong"}).status == 200


@pytest.mark.parametrize("path", PATHS)
def test_a_probe_is_bound_by_the_same_rules_as_everybody(path: str, guarded: Listening) -> None:
    assert guarded.request("GET", path, None, {"Host": "evil.example"}).status == 421
    assert guarded.request("GET", path, None, {"Origin": "http://evil.example"}).status == 403


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS"])
def test_a_probe_changes_nothing(method: str, path: str, guarded: Listening) -> None:
    answer = guarded.request(method, path, None, {})

    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("path", ["/livez/", "/readyz/x", "/LIVEZ", "/mcp/livez"])
def test_there_is_no_other_probe(path: str, guarded: Listening) -> None:
    assert guarded.get(path).status == 404
