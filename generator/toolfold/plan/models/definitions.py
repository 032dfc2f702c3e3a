"""The manifest's definitions: the class of each, its module, and the cycles among them."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import reference_steps

from toolfold.plan.names.identifiers import definition_type
from toolfold.plan.schemas.keywords import DEFINITIONS_PREFIX
from toolfold.plan.schemas.served import reached_definitions

#: Keywords beside which a reference is still the same type.
NOTES: Final = frozenset({"title", "description", "default", "examples", "deprecated"})


class DefinitionsGroup(NamedTuple):
    """Definitions whose classes share a module: one, or all of a cycle, in the manifest's order."""

    module: str
    members: tuple[str, ...]


def definition_of(reference: str) -> str | None:
    """The definition that a reference points to as a whole; None for any other reference."""
    steps = reference_steps(reference) if reference.startswith(DEFINITIONS_PREFIX) else None
    return steps[1] if steps and len(steps) == 2 else None


def definition_returned(returns: Json | None) -> str | None:
    """The definition that `returns` refers to, if it is only a reference; else None."""
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
