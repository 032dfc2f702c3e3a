"""Which tools a hot list has, and what decided that."""

from pathlib import Path

import pytest
from toolfold.compile import plan_manifest
from toolfold.manifest.load import load_with_problems
from toolfold_runtime.contract.server import ServerFacts

from tests.support.projects import Json, small_manifest, write_manifest

NAMES = [f"tool_{n:02}" for n in range(20)]


def facts_of(folder: Path, tools: dict[str, Json], **disclosure: Json) -> ServerFacts:
    manifest = small_manifest(*NAMES) | {"disclosure": {"exposure": "hybrid"} | disclosure}
    for name, more in tools.items():
        manifest["tools"][name] |= more
    facts: ServerFacts = plan_manifest(load_with_problems(write_manifest(folder, manifest))).facts
    return facts


def scored(score: float, tier: str) -> Json:
    figures = {"calls": 100, "success_rate": 1, "latency_ms": 10, "p95_ms": 20}
    return {"tier": tier, "measured": {"score": score, **figures}}


@pytest.mark.parametrize(("hot", "length"), [(0, 10), (3, 10), (10, 10), (12, 12), (17, 15)])
def test_measured_tools_fill_a_hot_list_up_to_ten(hot: int, length: int, tmp_path: Path) -> None:
    best_first = list(reversed(NAMES))
    tools = {
        name: scored(0.95 - place / 100, "hot" if place < hot else "standard")
        for place, name in enumerate(best_first)
    }
    facts = facts_of(tmp_path, tools)

    assert list(facts.hot_list) == best_first[:length]
    assert facts.hot_by == "usage"
    assert list(facts.hot) == best_first[: min(hot, 15)]


def test_cold_and_deprecated_tools_are_never_in_it(tmp_path: Path) -> None:
    gone = scored(0.9, "hot") | {"deprecated": True}
    facts = facts_of(tmp_path, {"tool_00": gone, "tool_01": scored(0.2, "cold")})

    assert facts.hot_by == "order"
    assert list(facts.hot_list) == NAMES[2:12]
    assert facts.hot == ()


def test_what_was_never_measured_is_not_said_to_be_hot_by_usage(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, {"tool_03": {"tier": "hot"}, "tool_07": scored(0.9, "hot")})

    assert facts.hot_list == ("tool_07", "tool_03")
    assert facts.hot_by == "usage and declared"


def test_what_the_author_declares_is_not_filled_up(tmp_path: Path) -> None:
    declared = facts_of(tmp_path / "hot", {"tool_07": {"tier": "hot"}})
    quick = facts_of(tmp_path / "quick", {}, quick_actions={"go": "tool_09"})

    assert (declared.hot_list, declared.hot_by) == (("tool_07",), "declared")
    assert (quick.hot_list, quick.hot_by) == (("tool_09",), "quick actions")
