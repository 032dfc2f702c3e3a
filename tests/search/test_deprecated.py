"""Deprecated tools come last by every strategy, marked, and are still found by name."""

from pathlib import Path

import pytest
from toolfold_runtime.contract.vocabulary import STRATEGIES, Strategy
from toolfold_runtime.search.find import Finder

from tests.disclosure.catalogs import Baked
from tests.search.catalogs import NEXT, finder, found, manifest, tool
from tests.support.projects import Json

#: Two that match best are deprecated, and more than are looked at besides.
TOOLS: Json = {
    "list_orders": tool("List orders", deprecated={"use": "find_orders", "reason": "Slow"}),
    "dump_orders": tool("Orders, orders, orders", deprecated=True, tags=["orders"]),
    **{f"orders_{n}": tool("List orders", deprecated=True) for n in range(60)},
    "find_orders": tool("Find what customers bought, also by orders"),
    "ship": tool("Send what was bought. Orders leave the house", effect="write"),
}
QUERIES = ["list orders", "orders", "List all orders. Then send the orders by mail."]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> dict[Strategy, Finder]:
    folder, given = tmp_path_factory.mktemp("shop"), manifest(TOOLS, search="hybrid")
    return {one: finder(folder, given, one) for one in STRATEGIES}


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_other_match_comes_first(
    strategy: Strategy, query: str, shop: dict[Strategy, Finder]
) -> None:
    names = found(shop[strategy], query, 4)

    assert set(names[:2]) == {"find_orders", "ship"}
    assert all(TOOLS[name].get("deprecated") for name in names[2:])


def test_qualifiers_alone_list_them_last(shop: dict[Strategy, Finder]) -> None:
    names = found(shop["lexical"], "category:all", 50)

    assert names[:2] == ["find_orders", "ship"]


def test_a_score_shows_what_being_deprecated_takes_away(shop: dict[Strategy, Finder]) -> None:
    names = list(TOOLS)
    ranked = shop["lexical"].find("list orders", 50).tools
    by_name = {names[one.tool]: one for one in ranked}

    assert by_name["list_orders"].parts["deprecated"] < -100
    assert "deprecated" not in by_name["find_orders"].parts
    assert by_name["list_orders"].score == pytest.approx(sum(by_name["list_orders"].parts.values()))


def test_an_exact_name_still_finds_one_and_says_what_to_use(tmp_path: Path) -> None:
    catalog = Baked(tmp_path, manifest(TOOLS)).catalog

    assert catalog.search("list_orders") == (
        f"list_orders(): [deprecated: use find_orders] List orders\n{NEXT}"
    )


def test_the_leanest_line_is_marked_too_and_counted(tmp_path: Path) -> None:
    given = manifest(TOOLS, budgets={"hits": 60})
    baked = Baked(tmp_path, given)

    assert baked.catalog.search("orders", 4).split("\n")[2:4] == [
        "dump_orders [deprecated]",
        "list_orders [deprecated: use find_orders]",
    ]


def test_the_prompt_of_a_deprecated_tool_need_not_find_it(tmp_path: Path) -> None:
    tools = {
        "old": tool("Ring a bell", example="ring a bell", deprecated={"use": "new"}),
        "new": tool("Ring a bell, louder"),
    }

    assert Baked(tmp_path, manifest(tools, found_within=1)).plan.warnings == ()
