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


def test_the_document_says_whether_a_token_is_wanted(api: Listening, guarded: Listening) -> None:
    path, right = "/api/v1/openapi.json", {"Authorization": "Bearer right"}
    there, here = guarded.request("GET", path, None, right).json, api.get(path).json

    assert there["security"] == [{"token": []}]
    assert there["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    hot = "/api/v1/tools/hot"
    assert {"401", "403"} <= set(there["paths"][hot]["get"]["responses"])
    assert "security" not in here
    assert "401" not in here["paths"][hot]["get"]["responses"]
