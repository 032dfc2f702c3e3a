"""The manifest's definitions: the class of each, its module, and the cycles among them."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json

from toolfold.plan.names.identifiers import definition_type
from toolfold.plan.schemas.served import references

#: Keywords beside which a reference is still the same type.
NOTES: Final = frozenset({"title", "description", "default", "examples", "deprecated"})
_PREFIX: Final = "#/$defs/"


class DefinitionsGroup(NamedTuple):
    """Definitions whose classes share a module: one, or all of a cycle, in the manifest's order."""

    module: str
    members: tuple[str, ...]


def definition_of(reference: str) -> str | None:
    """The definition that a reference is to, whole; None for any other reference."""
    name = reference.removeprefix(_PREFIX)
    return name if reference.startswith(_PREFIX) and "/" not in name else None


def definition_returned(returns: Json | None) -> str | None:
    """The definition that a tool's result is, where `returns` is nothing but a reference to it."""
    if returns is None or not isinstance(returns.get("$ref"), str):
        return None
    return definition_of(returns["$ref"]) if returns.keys() <= NOTES | {"$ref"} else None


def definition_groups(definitions: Mapping[str, Json]) -> list[DefinitionsGroup]:
    """Every definition in exactly one group, named after its first member."""
    reached = {name: set(_reached(name, definitions)) for name in definitions}
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


def _reached(name: str, definitions: Mapping[str, Json]) -> Iterator[str]:
    """The definitions that one refers to, directly or by others."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        for _, reference in references(definitions[waiting.pop()]):
            target = reference.removeprefix(_PREFIX).split("/")[0]
            if reference.startswith(_PREFIX) and target in definitions and target not in seen:
                seen.add(target)
                waiting.append(target)
                yield target
