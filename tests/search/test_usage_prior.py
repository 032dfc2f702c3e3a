"""Usage in search: it decides among equals, and its latencies can be asked for."""

from pathlib import Path
from typing import Any

import pytest
from toolfold.commands.search import search_of

from tests.support.projects import Json, write_manifest


def tool(summary: str, measured: Json | None = None, **more: Any) -> Json:
    declared = {"category": "all", "effect": "read", "summary": summary, **more}
    return declared | ({"measured": measured} if measured else {})


def measured(score: float, latency: float) -> Json:
    figures = {"calls": 100, "success_rate": 1, "p95_ms": latency}
    return {"score": score, "latency_ms": latency, **figures}


def found(folder: Path, query: str, **tools: Json) -> list[str]:
    return [name for name, _ in results(folder, query, **tools)[0]]


def results(folder: Path, query: str, **tools: Json) -> tuple[list[tuple[str, Json]], str]:
    manifest = write_manifest(
        folder,
        {
            "toolfold": 1,
            "server": {"name": "demo", "version": "1"},
            "categories": {"all": {}},
            "tools": tools,
        },
    )
    search = search_of(manifest, None)
    done = search.finder.find(query, 10)
    rows = [(search.finder.index.tools[one.tool].name, dict(one.parts)) for one in done.tools]
    return rows, " ".join([*done.query.hints, done.reason])


def test_of_two_that_match_alike_the_used_one_comes_first(tmp_path: Path) -> None:
    rows, _ = results(
        tmp_path,
        "list invoices",
        list_alpha=tool("List invoices"),
        list_beta=tool("List invoices", measured(0.9, 40)),
    )

    assert [name for name, _ in rows] == ["list_beta", "list_alpha"]
    assert rows[0][1]["usage"] > 0
    assert "usage" not in rows[1][1]


def test_one_that_does_not_work_comes_after_one_that_was_never_called(tmp_path: Path) -> None:
    rows, _ = results(
        tmp_path,
        "list invoices",
        list_alpha=tool("List invoices", measured(0.1, 900)),
        list_beta=tool("List invoices"),
    )

    assert [name for name, _ in rows] == ["list_beta", "list_alpha"]


def test_usage_does_not_win_against_a_better_match(tmp_path: Path) -> None:
    names = found(
        tmp_path,
        "cancel an order",
        cancel=tool("Cancel an order"),
        show=tool("Show an order", measured(1.0, 5)),
    )

    assert names[0] == "cancel"


TIMED = {
    "quick": tool("Read a file", measured(0.5, 40)),
    "slow": tool("Read a page", measured(0.5, 1500)),
    "unknown": tool("Read a line"),
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("read latency:<100", ["quick"]),
        ("read latency:<=40ms", ["quick"]),
        ("read latency:>1s", ["slow"]),
        ("read latency:>=1.5s", ["slow"]),
        ("read -latency:<100", ["slow"]),
        ("latency:<2s", ["quick", "slow"]),
        ("read latency:<1", []),
    ],
)
def test_latency_keeps_tools_that_were_measured_within_it(
    query: str, expected: list[str], tmp_path: Path
) -> None:
    rows, hints = results(tmp_path, query, **TIMED)

    assert sorted(name for name, _ in rows) == expected
    assert "1 tools were never measured" in hints


def test_where_nothing_was_measured_a_limit_is_only_a_hint(tmp_path: Path) -> None:
    rows, hints = results(tmp_path, "read latency:<100", one=tool("Read a file"))

    assert [name for name, _ in rows] == ["one"]
    assert "not measured yet" in hints
