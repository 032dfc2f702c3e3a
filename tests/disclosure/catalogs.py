"""Catalogs of any size, and what is planned and baked for them."""

import json
from pathlib import Path
from typing import Any, Final

from splintr import Tokenizer
from toolfold.compile import plan_manifest
from toolfold.manifest.load import load
from toolfold.plan.model import Plan
from toolfold_runtime import Catalog

from tests.support.projects import Json, write_manifest

META: Final = ["capabilities", "tool_schema", "search_tools", "run_read", "run_write"]

_TOKENIZER: Final = Tokenizer.from_pretrained("o200k_base")


def tokens(text: str) -> int:
    """What a text costs in o200k, counted without our own code."""
    return len(_TOKENIZER.encode_ordinary(text))


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def listed_tokens(definition: Json) -> int:
    """What a listed tool costs: name, description and inputSchema as compact JSON."""
    return tokens(compact({key: definition[key] for key in ("name", "description", "inputSchema")}))


def sized(categories: int, each: int, **disclosure: Any) -> Json:
    """A catalog of `categories` categories with `each` tools in every one."""
    return {
        "toolfold": 1,
        "server": {"name": "sized", "version": "1"},
        "disclosure": disclosure,
        "categories": {
            f"group_{c}": {"description": f"Group number {c}"} for c in range(categories)
        },
        "tools": {
            f"tool_{c}x{t}": {
                "category": f"group_{c}",
                "effect": "read",
                "summary": f"Does the thing number {t} of group {c}",
                "example": f"please do {t}",
                "tags": ["things", f"number {t}"],
            }
            for c in range(categories)
            for t in range(each)
        },
    }


SHELF: Final[Json] = {
    "toolfold": 1,
    "server": {
        "name": "shelf",
        "version": "2.1",
        "title": "Book shelf",
        "description": "Books and where they stand.",
        "implementation": "implementation:Shelf",
    },
    "disclosure": {"quick_actions": {"find": "find_book"}},
    "categories": {"books": {"description": "Find and move books"}, "care": {}},
    "tools": {
        "find_book": {
            "category": "books",
            "effect": "read",
            "tier": "hot",
            "summary": "Find a book",
            "description": "Find books by the words of their titles.",
            "example": "where is Dune?",
            "tags": ["search", "title"],
            "parameters": {
                "title": {"type": "string", "required": True, "description": "Words of the title"},
                "limit": {"type": "integer", "default": 5, "minimum": 1, "maximum": 50},
            },
            "returns": {"type": "array", "items": {"type": "string"}},
            "examples": [{"description": "One word", "arguments": {"title": "dune"}}],
            "related": ["move_book"],
            "generates": ["book_id"],
            "notes": "Titles only.",
            "references": [{"title": "Rules", "url": "https://example.org/rules"}],
            "performance": {"speed": "fast", "tokens": 40},
            "aliases": ["seek_book"],
        },
        "move_book": {
            "category": "books",
            "effect": "write",
            "summary": "Move a book",
            "parameters": {"book": {"type": "string", "required": True}},
            "consumes": ["book_id"],
        },
        "burn_book": {"category": "books", "effect": "destructive", "summary": "Burn a book"},
        "dust": {"category": "care", "effect": "write", "tier": "hot", "summary": "Dust the shelf"},
    },
    "workflows": [{"name": "Find and move", "steps": ["find_book", "move_book"]}],
}


class Shelf:
    """Answers with what it was asked, so that a test sees what arrived."""

    def find_book(self, params: Any) -> list[str]:
        return [f"{params.title} x{params.limit}"]

    def move_book(self, params: Any) -> str:
        return f"moved {params.book}"

    def burn_book(self, params: Any) -> str:
        return "burnt"

    def dust(self, params: Any) -> str:
        return "dusted"


def changed(manifest: Json, **disclosure: Any) -> Json:
    """The manifest with other words about disclosure."""
    return manifest | {"disclosure": manifest.get("disclosure", {}) | disclosure}


def planned(folder: Path, manifest: Json) -> Plan:
    """What would be generated, decided but not rendered."""
    return plan_manifest(load(write_manifest(folder, manifest)))


def inventory(folder: Path, manifest: Json) -> list[Json]:
    """Every page of the inventory, as it would be baked."""
    return _pages_of(planned(folder, manifest))


def _pages_of(plan: Plan) -> list[Json]:
    return _lines(plan.data["inventory.jsonl"])


def _lines(text: str) -> list[Json]:
    """The lines of a baked file after the one that says whose it is."""
    return [json.loads(line) for line in text.splitlines()[1:]]


class Baked:
    """The baked catalog alone: what the runtime reads, without models and docs."""

    def __init__(self, folder: Path, manifest: Json, *, only_inventory: bool = False) -> None:
        self.plan = planned(folder, manifest)
        for name, content in self.plan.data.items():
            if only_inventory and "/" in name:
                continue
            path = folder / "catalog" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="\n")
        self.catalog = Catalog(folder / "catalog", "baked")

    @property
    def inventory(self) -> list[Json]:
        """Every page of the inventory: `view`, `pages`, `tokens` and `text`."""
        return _pages_of(self.plan)

    @property
    def categories(self) -> dict[str, list[Json]]:
        """The pages of every category, by its file."""
        files = {name: text for name, text in self.plan.data.items() if "categories/" in name}
        return {
            name: [line for line in _lines(text) if "view" in line] for name, text in files.items()
        }
