"""`toolfold budget --tiers`: the steps into a catalog, their limits, and what to do beyond one."""

import json
from pathlib import Path
from typing import Any

from tests.support.commands import toolfold
from tests.support.projects import write_manifest

TIERS = ["T0", "T1", "T2", "T3", "T3"]


def catalog(tools: int, parameters: int, **budgets: int) -> dict[str, Any]:
    own = {f"p{n}": {"type": "string", "description": "What it is for"} for n in range(parameters)}
    schema = {"type": "object", "properties": own}
    tool = {"category": "books", "effect": "read", "summary": "Do what is asked for, and well"}
    return {
        "toolfold": 1,
        "server": {"name": "shelf", "version": "1"},
        "disclosure": {"budgets": budgets},
        "categories": {"books": {"description": "Books"}},
        "tools": {f"tool_{n}": tool | {"input_schema": schema} for n in range(tools)},
    }


def test_each_step_adds_to_those_before_and_keeps_its_limit(tmp_path: Path) -> None:
    write_manifest(tmp_path, catalog(30, 200))

    done = toolfold(tmp_path, "budget", "--tiers", "--format", "json")
    report = json.loads(done.out)
    costs = [tier["tokens"] for tier in report["tiers"]]

    assert done.code == 0
    assert [tier["name"] for tier in report["tiers"]] == TIERS
    assert [tier["limit"] for tier in report["tiers"]] == [2000, 4000, 8000, 12_000, 12_000]
    assert costs[:3] == sorted(costs[:3])
    assert costs[2] < costs[3] <= costs[2] + 4000
    assert (report["share_fits"], report["details_fit"]) == (0, 30)


def test_a_step_beyond_its_limit_fails_with_what_to_do(tmp_path: Path) -> None:
    write_manifest(tmp_path, catalog(1000, 0, category=20_000))

    done = toolfold(tmp_path, "budget", "--tiers")

    assert done.code == 1
    assert "T2 and the largest page of a category" in done.out
    assert "set `disclosure.budgets.category` lower" in done.err


def test_the_table_says_how_many_schemas_are_shown_whole(tmp_path: Path) -> None:
    write_manifest(tmp_path, catalog(3, 2))

    done = toolfold(tmp_path, "budget", "--tiers")

    assert done.code == 0
    assert "whole schema within 4,000: 3 of 3 (100.0%)" in done.out
    assert "every tool listed: " in done.out
