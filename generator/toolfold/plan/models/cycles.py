"""Definitions that refer to themselves in ways that classes cannot express."""

from collections.abc import Iterator, Mapping
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.plan.findings import Findings
from toolfold.plan.models.definitions import definition_groups, definition_of
from toolfold.plan.schemas.served import named_definitions

# Pydantic builds classes within classes, and Python imports modules within modules, by recursion.
_MAX_CYCLE: Final = 50
_MAX_CHAIN: Final = 60


def check_cycles(definitions: Mapping[str, Json], findings: Findings) -> None:
    """Report definitions that are only references to themselves, large cycles, and long chains."""
    _check_meaning(definitions, findings)
    largest = max(definition_groups(definitions), key=lambda g: len(g.members), default=None)
    if largest is not None and len(largest.members) > _MAX_CYCLE:
        first, count = largest.members[0], len(largest.members)
        fact = f"{count} definitions refer to each other in one cycle, more than {_MAX_CYCLE}"
        hint = "break it: let one of them say {type: object} instead of a reference"
        findings.error(("$defs", first), fact, hint, "reference", of_key=True)
        return
    depths = _depths(definitions)
    deepest = max(depths, key=lambda name: depths[name], default="")
    if deepest and depths[deepest] > _MAX_CHAIN:
        fact = f'"{deepest}" leads through {depths[deepest]} definitions, more than {_MAX_CHAIN}'
        hint = "write some of them in place"
        findings.error(("$defs", deepest), fact, hint, "reference", of_key=True)


def _check_meaning(definitions: Mapping[str, Json], findings: Findings) -> None:
    for name in definitions:
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            new = set(_same_value(definitions[waiting.pop()])) & definitions.keys() - seen
            seen |= new
            waiting.extend(new)
        if name in seen:
            fact = f'"{name}" refers to nothing but itself'
            hint = "say what it is: a type, properties, or another definition"
            findings.error(("$defs", name), fact, hint, "reference", of_key=True)


def _same_value(schema: object) -> Iterator[str]:
    """The definitions referred to for the same value, and not for a property or an item of it."""
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("$ref"), str):
        yield definition_of(schema["$ref"]) or ""
    for key in ("anyOf", "oneOf", "allOf"):
        for option in schema.get(key, []) if isinstance(schema.get(key), list) else []:
            yield from _same_value(option)


def _depths(definitions: Mapping[str, Json]) -> dict[str, int]:
    """The length of the longest chain of references from each definition; a cycle ends a chain."""
    edges = {name: named_definitions(schema, definitions) for name, schema in definitions.items()}
    depths: dict[str, int] = {}
    for start in definitions:
        waiting, begun = [start], set[str]()
        while waiting:
            name = waiting[-1]
            new = [n for n in sorted(edges[name]) if n not in depths and n not in begun]
            if name not in depths and new:
                begun.add(name)
                waiting.extend(new)
                continue
            inner = (depths[n] for n in edges[name] if n in depths)
            depths.setdefault(name, 1 + max(inner, default=0))
            waiting.pop()
    return depths
