"""Tools planned before are not planned again: what is decided about one is kept by content.

A tool is planned from a manifest that holds no other tool, so an edit of one cannot change what
is known of another. Problems are kept by their distance from its key, which moves with every line
above it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from toolfold.errors import Place
from toolfold.manifest.load import Loaded
from toolfold.memo.keys import content_key
from toolfold.plan.model import ToolPlan, ToolTexts
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
    """Where results are kept, for which manifest, and what stands for all that decides them but tools."""

    store: Store
    name: str
    shared: str

    def last(self, keys: Mapping[str, str]) -> dict[str, str]:
        """By name, what was kept last under it, where its key is still the same.

        For what is large and replaced by every edit, so that only one of it is kept.
        """
        rows = {f"{self.name} {name}": name for name in keys}
        found = {}
        for row, text in self.store.get(rows).items():
            key, _, kept = text.partition("\n")
            if key == keys[rows[row]]:
                found[rows[row]] = kept
        return found

    def keep_last(self, keys: Mapping[str, str], texts: Mapping[str, str]) -> None:
        """Keep texts under names and the keys that go with them."""
        self.store.put({f"{self.name} {name}": f"{keys[name]}\n{t}" for name, t in texts.items()})


def kept_for(loaded: Loaded, store: Store, maker: str) -> Kept:
    """Where what this manifest compiles to is kept; `maker` stands for all that is not in it."""
    rest = {key: value for key, value in loaded.tree.items() if key != "tools"}
    return Kept(store, loaded.name, content_key("shared", maker, loaded.name, rest))


class Texts:
    """The large texts of tools, read when they are asked for."""

    def __init__(self, loaded: Loaded, kept: Kept | None) -> None:
        self._loaded = loaded
        self._store = kept.store if kept else None
        self._known: dict[str, ToolTexts] = {}

    def add(self, name: str, texts: ToolTexts) -> None:
        """Those of a tool that was planned just now."""
        self._known[name] = texts

    def of(self, tools: Sequence[ToolPlan]) -> list[ToolTexts]:
        """The texts of some tools."""
        wanted = {text_key(tool.key): tool for tool in tools if tool.name not in self._known}
        found = self._store.get(wanted) if self._store else {}
        for key, tool in wanted.items():
            self._known[tool.name] = (
                ToolTexts(**json.loads(found[key])) if key in found else self._again(tool.name)
            )
        return [self._known[tool.name] for tool in tools]

    def _again(self, name: str) -> ToolTexts:
        planned = _plan_alone(name, self._loaded, Problems(self._loaded.tree), "")
        if planned is None:
            raise ValueError(f"{name} was planned before and is refused now")
        return planned[1]


def text_key(key: str) -> str:
    """What the texts of a tool are kept under."""
    return f"texts {key}"


def planned_tools(
    loaded: Loaded, problems: Problems, texts: Texts, kept: Kept | None
) -> Iterator[ToolPlan]:
    """A plan for every tool that is not refused, in order; planned now or before."""
    keys = _keys(loaded, kept.shared) if kept else dict.fromkeys(loaded.manifest.tools, "")
    known = kept.store.get(keys.values()) if kept else {}
    fresh = {}
    for name, key in keys.items():
        if key in known:
            record = json.loads(known[key])
            for said in record["said"]:
                _say_again(said, name, loaded, problems)
            yield ToolPlan(*record["plan"])
            continue
        before = len(problems.found)
        planned = _plan_alone(name, loaded, problems, key)
        if planned is not None:
            plan, own = planned
            texts.add(name, own)
            yield plan
            said = _said(name, loaded, problems, before) if kept else None
            if said is not None:
                fresh[key] = json.dumps({"plan": plan, "said": said})
                fresh[text_key(key)] = json.dumps(own._asdict())
    # What is known counts as sound: nothing of a manifest that is refused is kept.
    if kept and not problems.errors:
        kept.store.put(fresh)


def _keys(loaded: Loaded, shared: str) -> dict[str, str]:
    """For every tool, what stands for its own part of the manifest and all that tools share."""
    tools, sections = loaded.tree["tools"], loaded.sections
    return {
        name: content_key(shared, sections[name].text if sections else [name, tools[name]])
        for name in loaded.manifest.tools
    }


def _plan_alone(
    name: str, loaded: Loaded, problems: Problems, key: str
) -> tuple[ToolPlan, ToolTexts] | None:
    manifest = loaded.manifest
    alone = manifest.model_copy(update={"tools": {name: manifest.tools[name]}})
    return plan_tool(name, alone, problems, key)


def _said(name: str, loaded: Loaded, problems: Problems, before: int) -> list[Any] | None:
    """What was said about a tool, by lines below its key; None where it is about another file."""
    key = loaded.tree["tools"].keys_at[name]
    found = problems.found[before:]
    if any(problem.place.source is not key.source for problem in found):
        return None
    said = problems.said[len(problems.said) - len(found) :]
    places = [(p.place.line - key.line, p.place.column) for p in found]
    return [list(pair) for pair in zip(said, places, strict=True)]


def _say_again(kept: Sequence[Any], name: str, loaded: Loaded, problems: Problems) -> None:
    said, (lines, column) = kept
    place = None
    if loaded.sections is not None:  # else the same tool may be laid out otherwise
        key = loaded.sections[name].at
        place = Place(key.source, key.line + lines, column)
    problems.say(Said(*said), place)


def is_sound(tools: Sequence[ToolPlan], kept: Kept) -> bool:
    """Whether these tools were found before to go together, whatever else they say."""
    key = _sound_key(tools, kept)
    return key in kept.store.get([key])


def keep_sound(loaded: Loaded, tools: Sequence[ToolPlan], kept: Kept) -> None:
    """Keep that all rules across tools are held."""
    if loaded.sections is not None:
        kept.store.put({_sound_key(tools, kept): ""})


def _sound_key(tools: Sequence[ToolPlan], kept: Kept) -> str:
    """What stands for all that any rule across tools looks at."""
    looked_at = [[t.name, t.id, t.method, t.category, t.aliases, t.related] for t in tools]
    return content_key("sound", kept.shared, looked_at)
