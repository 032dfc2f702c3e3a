"""Inventory views: within their budgets, complete over their pages, and each says how to go on."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolfold_runtime import Catalog

from tests.disclosure.catalogs import SHELF, Baked, changed, inventory, planned, sized, tokens
from tests.support.projects import Json

BUDGETS: Final = {
    "capabilities": 500,
    "overview": 100,
    "hot": 2000,
    "category": 2000,
}
DETAILS: Final = ("counts", "overview", "names", "summaries", "full", "hot")
FORMATS: Final = ("json", "text")
_CALL: Final = re.compile(r"capabilities\(.*\)")
_TOOL: Final = re.compile(r"\btool_\d+x\d+\b")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Baked:
    return Baked(tmp_path_factory.mktemp("small"), SHELF)


@pytest.fixture(scope="module")
def medium(tmp_path_factory: pytest.TempPathFactory) -> Baked:
    return Baked(tmp_path_factory.mktemp("medium"), sized(6, 40))


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Baked:
    return Baked(tmp_path_factory.mktemp("wide"), sized(800, 1), only_inventory=True)


@pytest.fixture(params=["small", "medium", "wide"])
def any_size(request: pytest.FixtureRequest) -> Baked:
    found: Baked = request.getfixturevalue(request.param)
    return found


def pages(baked: list[Json], view: str) -> list[Json]:
    """The pages of a view such as `names json`, in order."""
    found = [page for page in baked if page["view"].rsplit(" ", 1)[0] == view]
    assert [page["view"] for page in found] == [f"{view} {n + 1}" for n in range(len(found))]
    assert all(page["pages"] == len(found) for page in found) or view.startswith("default")
    return found


def budget_of(view: str) -> int:
    detail = view.split(" ")[0]
    return (
        BUDGETS["capabilities" if detail == "default" else detail]
        if (detail in (*BUDGETS, "default"))
        else BUDGETS["category"]
    )


def next_step(text: str) -> str:
    """What a page says to do next: its very last words."""
    if text.startswith("{"):
        view = json.loads(text)
        assert list(view)[-1] == "next"
        return str(view["next"])
    last = text.split("\n")[-1]
    assert last.startswith("next: ")
    return last.removeprefix("next: ")


def follow(catalog: Catalog, said: str) -> str | None:
    """The page that a `next` leads to, called as it is written; None where it is a form."""
    call = ast.parse(said, mode="eval").body
    assert isinstance(call, ast.Call)
    if call.args:
        return None
    asked = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg is not None}
    return catalog.inventory(**asked)


def walked(catalog: Catalog, **asked: Any) -> Iterator[str]:
    """A view's pages as an agent gets them: each by what the one before said."""
    page: str | None = catalog.inventory(**asked)
    while page is not None:
        yield page
        said = next_step(page)
        page = follow(catalog, said) if _CALL.fullmatch(said) else None


def test_every_inventory_view_is_within_its_budget_and_says_how_to_go_on(any_size: Baked) -> None:
    baked = any_size.inventory

    assert {page["view"].split(" ")[0] for page in baked} == {"default", *DETAILS}
    over = [p["view"] for p in baked if p["tokens"] > budget_of(p["view"])]
    assert over == []
    for page in baked:
        assert next_step(page["text"]), page["view"]


def test_every_category_view_is_within_its_budget_and_says_how_to_go_on(any_size: Baked) -> None:
    files = any_size.categories.values()
    baked = [page for pages_ in files for page in pages_]

    assert len(baked) >= 6 * len(files)
    assert [page["view"] for page in baked if page["tokens"] > BUDGETS["category"]] == []
    assert all(next_step(page["text"]) for page in baked)


def test_every_view_can_be_had_in_both_formats(any_size: Baked) -> None:
    catalog = any_size.catalog

    for detail in DETAILS:
        assert catalog.inventory(detail=detail, format="json").startswith("{")
        assert not catalog.inventory(detail=detail, format="text").startswith("{")


def test_token_counts_that_were_baked_are_the_counters(any_size: Baked) -> None:
    baked = any_size.inventory

    assert [p["view"] for p in baked if p["tokens"] != tokens(p["text"])] == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("detail", ["names", "summaries", "full"])
def test_pages_followed_by_what_they_say_show_every_tool_once_in_order(
    detail: str, form: str, medium: Baked
) -> None:
    shown = list(walked(medium.catalog, detail=detail, format=form))

    found = [name for page in shown for name in _TOOL.findall(page)]
    assert found == medium.catalog.names()
    if detail != "names":
        assert len(shown) > 1


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("detail", ["counts", "overview"])
def test_pages_followed_by_what_they_say_show_every_category_once_in_order(
    detail: str, form: str, wide: Baked
) -> None:
    shown = list(walked(wide.catalog, detail=detail, format=form))

    found = [name for page in shown for name in re.findall(r"group_\d+", page)]
    assert found == [f"group_{n}" for n in range(800)]


@pytest.mark.parametrize("form", FORMATS)
def test_pages_of_one_category_show_each_of_its_tools_once(form: str, tmp_path: Path) -> None:
    catalog = Baked(tmp_path, sized(2, 90)).catalog
    shown = list(walked(catalog, category="group_1", format=form))

    assert len(shown) > 1
    assert [name for page in shown for name in _TOOL.findall(page)] == [
        f"tool_1x{n}" for n in range(90)
    ]


@given(
    categories=st.integers(1, 12),
    each=st.integers(1, 12),
    budget=st.integers(120, 900),
    form=st.sampled_from(FORMATS),
    detail=st.sampled_from(["names", "summaries", "full", "hot"]),
)
@settings(
    max_examples=40,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_pages_are_cut_by_tokens_and_hold_every_tool_exactly_once_in_order(
    categories: int, each: int, budget: int, form: str, detail: str, tmp_path: Path
) -> None:
    written = {"hot" if detail == "hot" else "category": budget}
    manifest = sized(categories, each, format=form, budgets=written)
    for tool in manifest["tools"].values():
        tool["tier"] = "hot"
    found = pages(inventory(tmp_path, manifest), f"{detail} {form}")

    shown = [_TOOL.findall(page["text"]) for page in found]
    most = 15 if detail == "hot" else len(manifest["tools"])
    assert [tool for page in shown for tool in page] == list(manifest["tools"])[:most]
    assert [page["view"] for page in found if page["tokens"] > budget] == []
    assert [page["view"] for page in found if page["tokens"] != tokens(page["text"])] == []


@given(categories=st.integers(1, 60), budget=st.integers(60, 400), form=st.sampled_from(FORMATS))
@settings(
    max_examples=20,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_pages_of_categories_hold_every_category_exactly_once_in_order(
    categories: int, budget: int, form: str, tmp_path: Path
) -> None:
    baked = inventory(tmp_path, sized(categories, 1, format=form, budgets={"overview": budget}))
    found = pages(baked, f"overview {form}")

    shown = [name for page in found for name in re.findall(r"group_\d+", page["text"])]
    assert shown == [f"group_{n}" for n in range(categories)]
    assert [page["view"] for page in found if page["tokens"] > budget] == []


# capabilities() without arguments


def test_without_arguments_a_small_catalog_is_shown_in_full(small: Baked) -> None:
    view = json.loads(small.catalog.inventory())

    assert view["categories"][0]["tools"][0] == {
        "signature": "find_book(title: str, limit: int = 5) -> list[str]",
        "description": "Find a book",
        "effect": "read",
        "example": "where is Dune?",
        "tags": ["search", "title"],
    }
    assert small.catalog.inventory() == small.catalog.inventory(detail="full")


EACH: Final = (1, 2, 3, 12, 30)
RICHEST_FIRST: Final = ("full", "summaries", "names", "overview", "counts")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("each", EACH)
def test_without_arguments_the_richest_view_that_fits_is_answered(
    each: int, form: str, tmp_path: Path
) -> None:
    # Where a leaner view says what it left out, that too has to fit.
    left_out = 10
    baked = inventory(tmp_path, sized(5, each, format=form))
    costs = {
        detail: sum(page["tokens"] for page in pages(baked, f"{detail} {form}"))
        for detail in RICHEST_FIRST
    }
    (default,) = pages(baked, f"default {form}")
    richest = next(detail for detail in RICHEST_FIRST if costs[detail] <= 500)
    clearly = next(detail for detail in RICHEST_FIRST if costs[detail] <= 500 - left_out)

    assert richest == clearly, "choose other sizes: this one is decided by a few tokens"
    assert default["tokens"] <= 500
    shown = default["text"]
    (whole,) = pages(baked, f"{richest} {form}")
    assert shown.startswith(whole["text"].split("next")[0].rstrip(',"\n'))


def test_sizes_of_the_test_above_reach_most_views(tmp_path: Path) -> None:
    chosen = set()
    for each in EACH:
        server = planned(tmp_path, sized(5, each)).data["server.json"]
        chosen.add(json.loads(server)["default_view"])

    assert {"full", "summaries", "names", "overview"} <= chosen


def test_without_arguments_a_medium_catalog_says_what_was_left_out(medium: Baked) -> None:
    view = json.loads(medium.catalog.inventory())

    assert view["categories"] == {f"group_{n}": 40 for n in range(6)}
    assert view["leftOut"] == "tool names"
    assert view["next"] == "capabilities(category)"


@pytest.mark.parametrize(
    ("form", "words"), [("json", '"leftOut":"summaries"'), ("text", "left out: summaries")]
)
def test_a_list_of_names_says_that_summaries_were_left_out(
    form: str, words: str, tmp_path: Path
) -> None:
    baked = inventory(tmp_path, sized(5, 12, format=form))

    assert words in pages(baked, f"default {form}")[0]["text"]


@pytest.mark.parametrize("form", FORMATS)
def test_without_arguments_800_categories_fit_and_lead_to_all_of_them(
    form: str, wide: Baked, tmp_path: Path
) -> None:
    catalog = wide.catalog
    if form == "text":
        catalog = Baked(tmp_path, sized(800, 1, format=form), only_inventory=True).catalog
    first = catalog.inventory()
    assert tokens(first) <= 500

    seen: list[str] = []
    for page in walked(catalog):
        seen += re.findall(r"group_\d+", page)

    assert list(dict.fromkeys(seen)) == [f"group_{n}" for n in range(800)]


def test_a_budget_of_the_manifest_decides_what_is_the_richest(tmp_path: Path) -> None:
    generous = Baked(tmp_path / "a", sized(6, 40, budgets={"capabilities": 20000}))
    tight = Baked(tmp_path / "b", changed(SHELF, budgets={"capabilities": 90}))

    assert "signature" in generous.catalog.inventory()
    assert "leftOut" in json.loads(tight.catalog.inventory())


@pytest.mark.parametrize("form", FORMATS)
def test_an_overview_of_many_workflows_keeps_its_budget_and_says_what_it_left_out(
    form: str, tmp_path: Path
) -> None:
    manifest = sized(5, 4, format=form)
    steps = list(manifest["tools"])[:4]
    manifest["workflows"] = [{"name": f"Chain number {n}", "steps": steps} for n in range(30)]

    found = pages(inventory(tmp_path, manifest), f"overview {form}")

    assert [page["tokens"] for page in found if page["tokens"] > 100] == []
    said = "".join(page["text"] for page in found)
    assert "workflows" in said, "shown, or said to be left out"
