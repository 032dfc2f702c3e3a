"""A catalog of two servers with what was measured, served with the API, with and without tokens."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.serving.conftest import VERIFIER
from tests.support.projects import Json, Project, project
from tests.support.servers import Listening, listening, listening_with_verifier

IMPLEMENTATION: Final = """
class Shop:
    def find_order(self, params):
        return {"id": params.id}

    def cancel_order(self, params):
        raise ValueError("no")
"""


def tool(summary: str, **more: Any) -> Json:
    return {"category": "orders", "effect": "read", "summary": summary, **more}


MEASURED: Final = {
    "score": 0.87,
    "calls": 12453,
    "success_rate": 0.987,
    "latency_ms": 47,
    "p95_ms": 89,
}
MANIFEST: Final[Json] = {
    "toolfold": 1,
    "server": {
        "name": "shop",
        "version": "1.2.0",
        "title": "Shop <b>&amp;",
        "implementation": "implementation:Shop",
    },
    "disclosure": {"exposure": "progressive"},
    "categories": {"orders": {"description": "Find and cancel orders"}, "odd-ones": {}},
    "tools": {
        "cancel_order": tool("Cancel an order", effect="destructive"),
        "find_order": tool(
            "Find an order",
            tier="hot",
            measured=MEASURED,
            parameters={
                "id": {"type": "string", "required": True},
                "depth": {"type": "integer", "default": 1},
            },
            returns={"type": "object", "properties": {"id": {"type": "string"}}},
        ),
        "odd": tool(
            "Say <script>alert(1)</script>", id="example.org/other::odd/one", category="odd-ones"
        ),
        "sorted": tool("Sort", id="category::orders", category="odd-ones"),
    },
}


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("shop")
    more = {f"extra_{n}": tool(f"Extra {n}") for n in range(30)}
    made = project(folder, MANIFEST | {"tools": MANIFEST["tools"] | more})
    (folder / "implementation.py").write_text(_implementation(more), encoding="utf-8")
    (folder / "checks.py").write_text(VERIFIER, encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def usage_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("usage") / "usage.db"


@pytest.fixture(scope="session")
def api(shop: Project, usage_file: Path) -> Iterator[Listening]:
    with listening(shop, "--api", TOOLFOLD_USAGE=str(usage_file)) as server:
        yield server


@pytest.fixture(scope="session")
def guarded(shop: Project) -> Iterator[Listening]:
    with listening_with_verifier(shop, "--api", "--scope", "books") as server:
        yield server


def _implementation(more: Json) -> str:
    methods = [
        f"    def {name}(self, params):\n        return {name!r}\n"
        for name in (*more, "odd", "sorted")
    ]
    return IMPLEMENTATION + "\n" + "\n".join(methods)
