"""The API is behind the rules of the MCP endpoint: Host, Origin, tokens and scopes."""

import pytest

from tests.support.servers import Listening

PATHS = ("/", "/api/v1", "/api/v1/openapi.json", "/api/v1/tools/hot", "/api/v1/tools/usage")


@pytest.mark.parametrize("path", PATHS)
def test_a_foreign_host_or_origin_is_refused(path: str, api: Listening) -> None:
    host = api.request("GET", path, None, {"Host": "evil.example"})
    origin = api.request("GET", path, None, {"Origin": "https://evil.example"})

    assert (host.status, origin.status) == (421, 403)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("token", ["", "wrong", "expired", "elsewhere", "nowhere"])
def test_without_a_good_token_nothing_is_answered(
    path: str, token: str, guarded: Listening
) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = guarded.request("GET", path, None, headers)

    assert answer.status == 401
    assert "resource_metadata" in answer.headers["www-authenticate"]


@pytest.mark.parametrize("path", PATHS)
def test_a_token_needs_the_scopes_of_the_server(path: str, guarded: Listening) -> None:
    powerless = guarded.request("GET", path, None, {"Authorization": "Bearer powerless"})
    right = guarded.request("GET", path, None, {"Authorization": "Bearer right"})

    assert (powerless.status, right.status) == (403, 200)
    assert "public" not in right.headers.get("cache-control", "")
    assert right.headers["vary"] == "Authorization"


def test_probes_need_no_token(guarded: Listening) -> None:
    assert guarded.get("/livez").status == 200


@pytest.mark.parametrize(
    "path", ["/api/../mcp", "/api/v1/tools/..%2f..%2fetc", "/api/v1/tools/shop/%00", "//api/v1"]
)
def test_no_path_leads_anywhere_else(path: str, api: Listening) -> None:
    assert api.get(path).status == 404
