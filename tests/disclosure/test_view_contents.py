"""What each view of the inventory holds."""

import json

import pytest

from tests.disclosure.catalogs import SHELF, Baked


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Baked:
    return Baked(tmp_path_factory.mktemp("small"), SHELF)


def test_the_overview_shows_counts_workflows_quick_actions_and_the_next_step(
    small: Baked,
) -> None:
    assert json.loads(small.catalog.inventory(detail="overview")) == {
        "categories": {"books": 3, "care": 1},
        "workflows": ["Find and move: find_book>move_book"],
        "quickActions": ["find"],
        "next": "capabilities(category)",
    }


def test_the_overview_as_text_shows_what_it_shows_as_json(small: Baked) -> None:
    text = small.catalog.inventory(detail="overview", format="text")

    assert text.startswith("Tools: 4\nbooks (3): Find and move books\ncare (1)\n")
    assert "\nFind and move: find_book>move_book\n" in text.replace(" > ", ">")
    quick = [line for line in text.split("\n") if "find" in line and "find_book" not in line]
    assert len(quick) == 1, "the quick action `find` has its line"
    assert text.endswith("\nnext: capabilities(category)")


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
