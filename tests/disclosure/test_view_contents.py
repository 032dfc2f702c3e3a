"""What each view of the inventory holds."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.disclosure.catalogs import SHELF, Baked, changed, inventory, sized, tokens
from tests.support.projects import Json

FORMATS: Final = ("json", "text")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Baked:
    return Baked(tmp_path_factory.mktemp("small"), SHELF)


def test_the_overview_shows_counts_workflows_quick_actions_and_the_next_step(
    small: Baked,
) -> None:
    assert json.loads(small.catalog.inventory(detail="overview")) == {
        "categories": {
            "books": "3 tools, ~40 tokens, fast, popular: find_book",
            "care": "1 tool, popular: dust",
        },
        "workflows": ["Find and move: find_book > move_book"],
        "quickActions": {"find": "find_book"},
        "next": "capabilities(category)",
    }


def test_the_overview_as_text_shows_what_it_shows_as_json(small: Baked) -> None:
    assert small.catalog.inventory(detail="overview", format="text") == (
        "Tools: 4\n"
        "category | tools | avg tokens | speed | popular\n"
        "books | 3 | ~40 | fast | find_book\n"
        "care | 1 |  |  | dust\n"
        "Find and move: find_book > move_book\n"
        "quick: find=find_book\n"
        "next: capabilities(category)"
    )


def test_an_overview_of_tools_that_say_nothing_of_their_calls_describes_categories(
    tmp_path: Path,
) -> None:
    catalog = Baked(tmp_path, sized(2, 3)).catalog

    assert json.loads(catalog.inventory(detail="overview")) == {
        "categories": {"group_0": 3, "group_1": 3},
        "next": "capabilities(category)",
    }
    assert catalog.inventory(detail="overview", format="text") == (
        "Tools: 6\n"
        "group_0 (3): Group number 0\n"
        "group_1 (3): Group number 1\n"
        "next: capabilities(category)"
    )


@pytest.mark.parametrize(
    ("performances", "words"),
    [
        ([{"tokens": 100}, {"tokens": 300}], "2 tools, ~200 tokens"),
        ([{"tokens": 1234}, {}], "2 tools, ~1200 tokens"),
        ([{"tokens": 7}], "1 tool, ~7 tokens"),
        ([{"tokens": 99}, {"tokens": 100}], "2 tools, ~100 tokens"),
        ([{"speed": "fast"}, {"speed": "fast"}, {"speed": "slow"}], "3 tools, fast"),
        ([{"speed": "fast"}, {"speed": "slow"}, {"speed": "medium"}], "3 tools, slow"),
        ([{"tokens": 50, "speed": "medium"}, {}], "2 tools, ~50 tokens, medium"),
        ([{}, {}], 2),
    ],
)
def test_a_category_shows_the_average_of_what_its_tools_say_and_claims_nothing_else(
    performances: list[Json], words: str | int, tmp_path: Path
) -> None:
    manifest = sized(1, len(performances))
    for tool, performance in zip(manifest["tools"].values(), performances, strict=True):
        tool |= {"performance": performance} if performance else {}

    view = json.loads(Baked(tmp_path, manifest).catalog.inventory(detail="overview"))

    assert view["categories"] == {"group_0": words}


def test_meta_tools_of_a_category_say_nothing_of_their_calls(tmp_path: Path) -> None:
    manifest = sized(1, 1, meta={"capabilities": {"category": "group_0"}})
    manifest["tools"]["tool_0x0"]["performance"] = {"tokens": 80}

    view = json.loads(Baked(tmp_path, manifest).catalog.inventory(detail="overview"))

    assert view["categories"] == {"group_0": "2 tools, ~80 tokens"}


def test_counts_show_totals_alone(small: Baked) -> None:
    assert json.loads(small.catalog.inventory(detail="counts")) == {
        "tools": 4,
        "categories": {"books": 3, "care": 1},
        "next": "capabilities(category)",
    }
    assert small.catalog.inventory(detail="counts", format="text") == (
        "Tools: 4\nbooks: 3\ncare: 1\nnext: capabilities(category)"
    )


def test_hot_shows_signatures_of_the_hot_tools_alone(small: Baked) -> None:
    assert json.loads(small.catalog.inventory(detail="hot"))["tools"] == [
        "find_book(title: str, limit: int = 5) -> list[str]: Find a book",
        "dust(): Dust the shelf",
    ]


def test_names_and_summaries_are_grouped_by_category(small: Baked) -> None:
    assert json.loads(small.catalog.inventory(detail="names"))["categories"] == {
        "books": ["find_book", "move_book", "burn_book"],
        "care": ["dust"],
    }
    books = json.loads(small.catalog.inventory(detail="summaries"))["categories"][0]
    assert books["description"] == "Find and move books"
    assert books["tools"][0] == {
        "name": "find_book",
        "description": "Find a book",
        "example": "where is Dune?",
    }
    assert small.catalog.inventory(detail="summaries", format="text") == (
        "books:\n"
        "  find_book - Find a book (e.g. where is Dune?)\n"
        "  move_book - Move a book\n"
        "  burn_book - Burn a book\n"
        "care:\n"
        "  dust - Dust the shelf\n"
        "Find and move: find_book > move_book\n"
        "quick: find=find_book\n"
        "next: tool_schema(tool)"
    )


def test_full_as_text_shows_what_it_shows_as_json(small: Baked) -> None:
    text = small.catalog.inventory(detail="full", format="text")
    line = next(line for line in text.split("\n") if "find_book" in line)

    for words in ("title: str, limit: int = 5", "Find a book", "read", "where is Dune?", "search"):
        assert words in line, words


def test_a_category_shows_its_own_tools_alone(small: Baked) -> None:
    view = json.loads(small.catalog.inventory(category="care"))

    assert view == {
        "categories": [
            {"name": "care", "tools": [{"name": "dust", "description": "Dust the shelf"}]}
        ],
        "next": "tool_schema(tool)",
    }


# Workflows and quick actions


def default_view(folder: Path, manifest: Json, form: str = "json") -> str:
    (page,) = (
        p["text"] for p in inventory(folder, manifest) if p["view"].startswith(f"default {form}")
    )
    return str(page)


def with_workflows(manifest: Json, number: int = 3) -> Json:
    steps = list(manifest["tools"])[:3]
    flows = [{"name": f"Chain number {n}", "steps": steps} for n in range(number)]
    return manifest | {"workflows": flows}


def test_without_arguments_workflows_and_quick_actions_name_their_tools(small: Baked) -> None:
    view = json.loads(small.catalog.inventory())

    assert "signature" in view["categories"][0]["tools"][0]
    assert view["workflows"] == ["Find and move: find_book > move_book"]
    assert view["quickActions"] == {"find": "find_book"}
    assert list(view)[-1] == "next"


def test_a_deprecated_tool_is_marked_where_an_action_or_a_workflow_names_it(tmp_path: Path) -> None:
    tools = SHELF["tools"] | {"find_book": SHELF["tools"]["find_book"] | {"deprecated": True}}

    view = json.loads(default_view(tmp_path, SHELF | {"tools": tools}))

    assert view["quickActions"] == {"find": "find_book [deprecated]"}
    assert view["workflows"] == ["Find and move: find_book [deprecated] > move_book"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_richer_view_without_workflows_is_shown_rather_than_a_leaner_one_with_them(
    form: str, tmp_path: Path
) -> None:
    plain = sized(2, 4, format=form, quick_actions={"go": "tool_0x0"})
    alone = default_view(tmp_path / "alone", plain, form)
    budget = tokens(alone) + 20

    tight = with_workflows(changed(plain, budgets={"capabilities": budget}))
    shown = default_view(tmp_path / "tight", tight, form)

    assert "Chain number" not in shown
    assert "workflows" in shown, "said to be left out"
    assert shown.startswith(alone.split("next")[0].rstrip(',"\n')), "as rich as without any"
    assert tokens(shown) <= budget


def test_quick_actions_are_left_out_after_workflows(tmp_path: Path) -> None:
    manifest = sized(1, 2, quick_actions={"go": "tool_0x0"}, budgets={"capabilities": 110})

    view = json.loads(default_view(tmp_path, with_workflows(manifest)))

    assert view["quickActions"] == {"go": "tool_0x0"}
    assert view["leftOut"] == "workflows"
    assert "workflows" not in view


ASKED: Final[dict[str, dict[str, Any]]] = {
    "counts": {"detail": "counts"},
    "hot": {"detail": "hot"},
    "names": {"detail": "names"},
    "a category": {"category": "books"},
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("form", FORMATS)
def test_short_views_and_categories_show_neither(asked: str, form: str, small: Baked) -> None:
    text = small.catalog.inventory(**ASKED[asked], format=form)

    assert "Find and move" not in text.replace("Find and move books", "")
    assert "quick" not in text


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("detail", ["overview", "summaries", "full"])
def test_views_in_pages_leave_workflows_out_and_say_so_once(
    detail: str, form: str, tmp_path: Path
) -> None:
    manifest = with_workflows(sized(40, 8, format=form, quick_actions={"go": "tool_0x0"}))
    for tool in manifest["tools"].values():
        tool["performance"] = {"speed": "slow", "tokens": 1500}

    view = [p for p in inventory(tmp_path, manifest) if p["view"].startswith(f"{detail} {form}")]

    assert len(view) > 1
    assert [p["view"] for p in view if p["tokens"] > (100 if detail == "overview" else 2000)] == []
    texts = [page["text"] for page in view]
    assert "workflows" in texts[0]
    assert "tool_0x0" in texts[0], "the quick action"
    assert [text for text in texts if "Chain number" in text] == []
    assert [text for text in texts[1:] if "workflows" in text or "quick" in text] == []
