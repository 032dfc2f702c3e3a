"""Names of nested classes, as a person would choose them."""

from collections.abc import Sequence
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.plan.names.identifiers import class_name
from toolfold.plan.schemas.keywords import properties_of, required_of

_LONGEST: Final = 40


def item_name(name: str) -> str:
    """The name for an item of a list: `OrderLines` has items `OrderLine`."""
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    if name.endswith(("ches", "shes", "sses", "xes")):
        return name[:-2]
    if name.endswith("s") and not name.endswith(("ss", "us", "is")):
        return name[:-1]
    return f"{name}Item"


def branch_names(options: Sequence[object], name: str) -> list[str]:
    """A name for each option of a union: from its title, a constant, or a property only it requires."""
    objects = [o for o in options if isinstance(o, dict) and properties_of(o)]
    suffixes = []
    for number, option in enumerate(options, start=1):
        branch = option if isinstance(option, dict) else {}
        alone = len(objects) == 1 and option is objects[0]
        suffix = (
            "" if alone else _title(branch) or _constant(branch) or _own_property(branch, objects)
        )
        suffixes.append(suffix if suffix or alone else f"Option{number}")
    return [f"{name}{suffix}" for suffix in suffixes]


def _title(option: Json) -> str:
    title = option.get("title")
    return _short(title) if isinstance(title, str) else ""


def _constant(option: Json) -> str:
    """The value of the first property that allows a single value; else empty."""
    for schema in properties_of(option).values():
        if not isinstance(schema, dict):
            continue
        values = schema.get("enum", [schema.get("const")])
        if isinstance(values, list) and len(values) == 1 and isinstance(values[0], str):
            return _short(values[0])
    return ""


def _own_property(option: Json, objects: Sequence[Json]) -> str:
    """`By` and the first property that this option requires and no other option has; else empty."""
    others = [other for other in objects if other is not option]
    for prop in required_of(option):
        if isinstance(prop, str) and not any(prop in properties_of(other) for other in others):
            return f"By{_short(prop)}" if _short(prop) else ""
    return ""


def _short(text: str) -> str:
    """The text as a part of a class name; empty where it is too long for that, or has no letter."""
    name = class_name(text) if any(c.isascii() and c.isalpha() for c in text) else ""
    return name if len(name) <= _LONGEST else ""
