"""The manifest's definitions: the class of each, its module, and the cycles among them."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import reference_steps

from toolfold.plan.findings import Findings
from toolfold.plan.names.identifiers import definition_type
from toolfold.plan.schemas.keywords import DEFINITIONS_PREFIX
from toolfold.plan.schemas.served import reached_definitions, references

#: Keywords beside which a reference is still the same type.
NOTES: Final = frozenset({"title", "description", "default", "examples", "deprecated"})
# Pydantic builds classes within classes, and Python imports modules within modules, by recursion.
_MAX_CYCLE: Final = 50
_MAX_CHAIN: Final = 60


class DefinitionsGroup(NamedTuple):
    """Definitions whose classes share a module: one, or all of a cycle, in the manifest's order."""

    module: str
    members: tuple[str, ...]


def definition_of(reference: str) -> str | None:
    """The definition that a reference is to, whole; None for any other reference."""
    steps = reference_steps(reference) if reference.startswith(DEFINITIONS_PREFIX) else None
    return steps[1] if steps and len(steps) == 2 else None


def definition_returned(returns: Json | None) -> str | None:
    """The definition that a tool's result is, where `returns` is nothing but a reference to it."""
    if returns is None or not isinstance(returns.get("$ref"), str):
        return None
    return definition_of(returns["$ref"]) if returns.keys() <= NOTES | {"$ref"} else None


def definition_groups(definitions: Mapping[str, Json]) -> list[DefinitionsGroup]:
    """Every definition in exactly one group, named after its first member."""
    reached = {name: reached_definitions(definitions[name], definitions) for name in definitions}
    groups: dict[str, list[str]] = {}
    for name in definitions:
        first = next(
            n for n in definitions if n == name or (n in reached[name] and name in reached[n])
        )
        groups.setdefault(first, []).append(name)
    return [
        DefinitionsGroup(definition_type(first).module, tuple(members))
        for first, members in groups.items()
    ]


def check_cycles(definitions: Mapping[str, Json], findings: Findings) -> None:
    """Report definitions that mean nothing but themselves, and more than Python can import."""
    direct = {
        name: set(_direct(schema)) & definitions.keys() for name, schema in definitions.items()
    }
    for name in definitions:
        if name in _closure(name, direct):
            fact = f'"{name}" refers to nothing but itself'
            hint = "say what it is: a type, properties, or another definition"
            findings.error(("$defs", name), fact, hint, "reference", of_key=True)
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


def _direct(schema: object) -> Iterator[str]:
    """The definitions that the same value must match: references not below a property or an item."""
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("$ref"), str):
        yield schema["$ref"].removeprefix(DEFINITIONS_PREFIX)
    for key in ("anyOf", "oneOf", "allOf"):
        for option in schema.get(key, []) if isinstance(schema.get(key), list) else []:
            yield from _direct(option)


def _closure(name: str, edges: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        new = edges[waiting.pop()] - seen
        seen |= new
        waiting.extend(new)
    return seen


def _depths(definitions: Mapping[str, Json]) -> dict[str, int]:
    """How many definitions each one leads through, one after the other, cycles counted once."""
    depths: dict[str, int] = {}
    edges = {name: list(_targets(schema, definitions)) for name, schema in definitions.items()}
    for start in definitions:
        waiting, open_ = [start], set[str]()
        while waiting:
            name = waiting[-1]
            new = [n for n in edges[name] if n not in depths and n not in open_]
            if name in depths or not new:
                inner = (depths[n] for n in edges[name] if n in depths)
                depths.setdefault(name, 1 + max(inner, default=0))
                waiting.pop()
                continue
            open_.add(name)
            waiting.extend(new)
    return depths


def _targets(schema: object, definitions: Mapping[str, Json]) -> Iterator[str]:
    """The definitions that a schema refers to itself."""
    for _, reference in references(schema):
        target = reference.removeprefix(DEFINITIONS_PREFIX).split("/")[0]
        if reference.startswith(DEFINITIONS_PREFIX) and target in definitions:
            yield target
