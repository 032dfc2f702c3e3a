"""`toolfold budget --tiers`: the steps into a catalog, their limits, and what to do beyond one."""

import json
import re
from pathlib import Path
from typing import Any

from tests.support.commands import toolfold
from tests.support.projects import write_manifest

TIERS = ["T0", "T1", "T2", "T3", "T3"]


def catalog(tools: int, parameters: int, **budgets: int) -> dict[str, Any]:
    properties = {
        f"p{n}": {"type": "string", "description": "What it is for"} for n in range(parameters)
    }
    schema = {"type": "object", "properties": properties}
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


def test_what_is_huge_is_truncated_in_lists_and_the_steps_keep_their_limits(tmp_path: Path) -> None:
    manifest = catalog(2, 300)
    manifest["categories"]["books"]["description"] = "Books and more books. " * 1_000
    manifest["tools"]["tool_0"]["summary"] = "Words and more words " * 1_000
    manifest["tools"]["tool_1"]["description"] = "Words and more words. " * 10_000
    write_manifest(tmp_path, manifest)

    done = toolfold(tmp_path, "budget", "--tiers")
    toolfold(tmp_path, "generate")
    views = [
        toolfold(tmp_path, "try", "capabilities", json.dumps(asked)).out
        for asked in ({"detail": "hot"}, {"category": "books", "detail": "full"})
    ]

    assert (done.code, done.err) == (0, "")
    for view in views:
        assert re.search(r"Words and more words .{200,290}\w…", view)
        assert len(view) < 2_500


def test_a_step_that_only_an_earlier_one_brings_over_says_so(tmp_path: Path) -> None:
    manifest = catalog(600, 0)
    names = [f"what_is_about_{n}_and_about_nothing_else" for n in range(600)]
    for name, tool in zip(names, manifest["tools"].values(), strict=True):
        tool["category"] = name
    manifest["categories"] = {name: {} for name in names}
    write_manifest(tmp_path, manifest)

    done = toolfold(tmp_path, "budget", "--tiers")

    assert done.code == 1
    assert "use fewer categories" in done.err
    assert "T2: " in done.err
    assert "it would fit if T1 did" in done.err
    assert "set `disclosure" not in done.err
