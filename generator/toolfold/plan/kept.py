"""Tools planned before are not planned again: what is decided about one is kept by content.

A tool is planned from a manifest that holds no other tool, so an edit of one cannot change what
is known of another. Problems are kept without places, which move with every line above them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from toolfold.manifest.load import Loaded
from toolfold.plan.keys import content_key
from toolfold.plan.model import ToolPlan
from toolfold.plan.problems import Problems, Said
from toolfold.plan.tool import plan_tool


class Store(Protocol):
    """Texts by key, from run to run."""

    def get(self, keys: Iterable[str]) -> dict[str, str]:
        """Those that are known."""

    def put(self, pieces: Mapping[str, str]) -> None:
        """Keep some."""


@dataclass(frozen=True)
class Kept:
    """Where plans are kept, and what stands for everything that decides them but the manifest."""

    store: Store
    maker: str


def planned_tools(loaded: Loaded, problems: Problems, kept: Kept | None) -> Iterator[ToolPlan]:
    """A plan for every tool that is not refused, in order; planned now or before."""
    keys = _keys(loaded, kept.maker) if kept else dict.fromkeys(loaded.manifest.tools, "")
    known = kept.store.get(keys.values()) if kept else {}
    fresh = {}
    for name, key in keys.items():
        if key in known:
            record = json.loads(known[key])
            for said in record.pop("said"):
                problems.say(Said(*said))
            yield ToolPlan(**record)
            continue
        before = len(problems.said)
        plan = _plan_alone(name, loaded, problems, key)
        if plan is not None:
            yield plan
            if kept:
                fresh[key] = json.dumps(vars(plan) | {"said": problems.said[before:]})
    if kept:
        kept.store.put(fresh)


def _plan_alone(name: str, loaded: Loaded, problems: Problems, key: str) -> ToolPlan | None:
    manifest = loaded.manifest
    alone = manifest.model_copy(update={"tools": {name: manifest.tools[name]}})
    return plan_tool(name, alone, problems, key)


def _keys(loaded: Loaded, maker: str) -> dict[str, str]:
    """For every tool, what stands for its own part of the manifest and all that tools share."""
    tree = loaded.tree
    rest = {key: value for key, value in tree.items() if key != "tools"}
    shared = content_key("tool", maker, loaded.name, rest)
    return {name: content_key(shared, name, tree["tools"][name]) for name in loaded.manifest.tools}
