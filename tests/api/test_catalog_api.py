"""The catalog API through HTTP: what each address answers, and what it answers to nonsense."""

import json

import pytest
from toolfold.plan.disclosure.tokens import count

from tests.api.conftest import MEASURED
from tests.support.projects import Json, Project
from tests.support.servers import Listening, Response, listening

ROOT = "/api/v1/tools"


def ask(server: Listening, path: str, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return server.request("GET", f"{ROOT}{path}", None, named)


def names(answer: Json) -> list[str]:
    return [tool["name"] for tool in answer["tools"]]


def test_hot_tools_say_what_was_measured_and_what_decided(api: Listening) -> None:
    answer = ask(api, "/hot").json

    assert answer["by"] == "usage"
    assert names(answer) == ["find_order"]
    assert answer["tools"][0]["measured"] == MEASURED
    assert answer["tools"][0]["server"] == "shop"
    assert list(answer["tools"][0]["params"]) == ["id", "depth"]


def test_categories_have_counts_of_tools_and_servers_and_popular_tools(api: Listening) -> None:
    answer = ask(api, "/categories").json

    assert answer["tool_count"] == 34
    assert "next" not in answer["pagination"]
    assert answer["categories"] == [
        {
            "name": "orders",
            "description": "Find and cancel orders",
            "tool_count": 32,
            "server_count": 1,
            "popular_tools": ["shop::find_order"],
        },
        {
            "name": "odd-ones",
            "description": "",
            "tool_count": 2,
            "server_count": 2,
            "popular_tools": [],
        },
    ]


def test_categories_come_in_pages(api: Listening) -> None:
    first = ask(api, "/categories?page_size=1").json
    second = api.get(first["pagination"]["next"]).json

    assert [category["name"] for category in first["categories"]] == ["orders"]
    assert [category["name"] for category in second["categories"]] == ["odd-ones"]
    assert "next" not in second["pagination"]
    assert ask(api, "/categories?page=3&page_size=1").status == 404


def test_pages_of_a_category_hold_every_tool_once_the_best_first(api: Listening) -> None:
    path, seen, pages = f"{ROOT}/category/orders?page_size=10", list[str](), 0
    while path:
        answer = api.get(path).json
        seen += names(answer)
        pages += 1
        path = answer["pagination"].get("next", "")

    assert pages == answer["pagination"]["total_pages"] == 4
    assert seen[0] == "find_order"
    assert len(seen) == len(set(seen)) == answer["pagination"]["total_count"] == 32


def test_a_page_ends_where_its_tokens_would_be_exceeded_and_says_so(api: Listening) -> None:
    page = ask(api, "/category/orders?max_tokens=300").json["pagination"]
    one = ask(api, "/category/orders?max_tokens=1").json

    assert page["tokens"] <= 300
    assert page["truncated_by"] == "max_tokens"
    assert names(one) == ["find_order"]


def test_a_tool_is_shown_with_its_schema_and_a_valid_call(api: Listening) -> None:
    answer = ask(api, "/shop/find_order").json

    assert answer["parameters"]["required"] == ["id"]
    assert answer["returns"]["properties"] == {"id": {"type": "string"}}
    assert set(answer["valid_call"]) == {"id"}
    assert answer["measured"] == MEASURED


def test_names_with_slashes_are_found(api: Listening) -> None:
    category = ask(api, "/category/odd-ones").json
    found = ask(api, "/example.org/other/odd/one").json

    assert names(category) == ["odd", "sorted"]
    assert found["id"] == "example.org/other::odd/one"


def test_an_id_finds_its_tool_whatever_its_server_is_called(api: Listening) -> None:
    category, tool = ask(api, "/category/orders").json, ask(api, "/category::orders").json

    assert "pagination" in category
    assert (tool["id"], tool["server"]) == ("category::orders", "category")
    assert ask(api, "/shop::find_order").json == ask(api, "/shop/find_order").json
    assert ask(api, "/example.org/other::odd/one").json["name"] == "odd"


def test_the_tokens_of_a_page_are_those_of_what_is_sent(api: Listening) -> None:
    page = ask(api, "/category/orders?page_size=3").json
    sent = [json.dumps(tool, separators=(",", ":"), ensure_ascii=False) for tool in page["tools"]]

    assert page["pagination"]["tokens"] == sum(map(count, sent))


def test_search_finds_what_agents_find(api: Listening) -> None:
    answer = ask(api, "/search?q=find+an+order&limit=2").json
    nothing = ask(api, "/search?q=zebra").json

    assert answer["hits"][0]["tool"]["name"] == "find_order"
    assert len(answer["hits"]) <= 2
    assert nothing["hits"] == []
    assert "Try other words" in nothing["hints"][0]


def test_servers_are_listed_with_their_state_and_nothing_secret(api: Listening) -> None:
    answer = ask(api, "/servers").json

    assert answer == {
        "servers": [
            {"name": "shop", "status": "here", "tool_count": 32},
            {"name": "example.org/other", "status": "described", "tool_count": 1},
            {"name": "category", "status": "described", "tool_count": 1},
        ]
    }


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/category/order", 404, "Nearest: orders"),
        ("/shop/find_ordr", 404, 'no tool of shop "find_ordr". Nearest: find_order'),
        ("/shop::find_ordr", 404, "Nearest: find_order"),
        (
            "/shp/find_order",
            404,
            'no server "shp". Nearest: shop. All: shop, example.org/other, category.',
        ),
        ("/shop::", 404, "no tool of shop"),
        ("/example.org/other/od/one", 404, "no tool of example.org/other"),
        ("/category/orders?page=99", 404, "the last is 2"),
        ("/category/orders?page=0", 400, "from 1 to"),
        ("/category/orders?page_size=101", 400, "from 1 to 100"),
        ("/category/orders?page=1&page=2", 400, "more than once"),
        ("/category/orders?page=%FF", 400, "UTF-8"),
        ("/category/orders?size=2", 400, "page, page_size, max_tokens"),
        ("/search", 400, "q is missing"),
        ("/search?q=a&limit=x", 400, "from 1 to 50"),
        ("/nothing", 404, "/api/v1/openapi.json"),
        ("/hot?" + "&".join(["a=1"] * 1000), 400, "more than 20 parameters"),
        ("/hot?" + "a" * 9000, 400, "longer than 8,000 bytes"),
        ("/hot?", 200, ""),
    ],
)
def test_what_is_wrong_is_said_with_the_way_out(
    path: str, status: int, words: str, api: Listening
) -> None:
    answer = ask(api, path)

    assert answer.status == status
    if status != 200:
        assert words in answer.json["error"]["message"]
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_but_reading_is_answered(method: str, api: Listening) -> None:
    answer = api.request(method, f"{ROOT}/hot", "{}", {})

    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD"


def test_a_head_has_the_headers_of_a_get_and_no_body(api: Listening) -> None:
    whole, head = ask(api, "/hot"), api.request("HEAD", f"{ROOT}/hot", None, {})

    assert head.body == ""
    assert head.headers["etag"] == whole.headers["etag"]
    assert head.headers["content-length"] == str(len(whole.body.encode()))


@pytest.mark.parametrize(
    ("path", "policy"),
    [
        ("/hot", "public, max-age=3600"),
        ("/categories", "public, max-age=21600"),
        ("/category/orders", "public, max-age=3600"),
        ("/shop/find_order", "public, no-cache"),
    ],
)
def test_answers_hold_as_long_as_their_tier_and_are_not_sent_twice(
    path: str, policy: str, api: Listening
) -> None:
    first = ask(api, path)
    tag = first.headers["etag"]

    assert first.headers["cache-control"] == policy
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = ask(api, path, If_None_Match=known)
        assert (again.status, again.body, again.headers["etag"]) == (304, "", tag)
    assert ask(api, path, If_None_Match='"other"').status == 200


def test_usage_counts_calls_and_cached_answers(api: Listening) -> None:
    ask(api, "/hot")
    before = ask(api, "/usage").json
    ask(api, "/hot")
    after = ask(api, "/usage")

    assert after.headers["cache-control"] == "no-store"
    assert len(after.json["days"]) == 30
    assert after.json["caches"]["hot"]["hits"] == before["caches"]["hot"]["hits"] + 1


@pytest.mark.parametrize("content", [b"not a database at all" * 100, None])
def test_a_store_that_cannot_be_read_is_503_and_says_nothing_of_its_place(
    content: bytes | None, shop: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    broken = tmp_path_factory.mktemp("broken") / "usage.db"
    if content is None:
        broken.mkdir()
    else:
        broken.write_bytes(content)
    with listening(shop, "--api", TOOLFOLD_USAGE=str(broken)) as server:
        answer, page = ask(server, "/usage"), server.get("/")

    assert answer.status == 503
    assert str(broken) not in answer.body
    assert page.status == 200
    assert "cannot be read" in page.body


def test_nothing_of_the_api_is_served_without_the_option(shop: Project) -> None:
    with listening(shop) as server:
        assert server.get(f"{ROOT}/hot").status == 404
        assert server.get("/").status == 404


def test_the_document_names_every_type_that_it_refers_to(api: Listening) -> None:
    document = api.get("/api/v1/openapi.json")
    parsed = document.json
    text = json.dumps(parsed)

    assert parsed["openapi"] == "3.1.0"
    for name in {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert name in parsed["components"]["schemas"]
    assert len({path["get"]["operationId"] for path in parsed["paths"].values()}) == 8
