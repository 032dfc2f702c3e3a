"""Which branch of `anyOf` or `oneOf` was meant by a value that none of them accepts."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from toolfold_runtime.pointers import SchemaPath
from toolfold_runtime.running.diagnosis.document import SchemaDocument
from toolfold_runtime.running.diagnosis.faults import Choice, Fault, ValuePath
from toolfold_runtime.running.diagnosis.properties import parts_of

_MAX_BRANCHES: Final = 50
_ALTERNATIVES: Final = ("anyOf", "oneOf")
# A branch that refuses the value itself by one of these is for another kind of value.
_OF_ANOTHER_KIND: Final = ("type", "const", "enum", "false")


class Branch(NamedTuple):
    """A branch and what it finds wrong with the value."""

    pointer: SchemaPath
    faults: list[Fault]


def branch_pointers(
    document: SchemaDocument, pointer: SchemaPath, value: object
) -> list[SchemaPath]:
    """The branches of the alternatives at a pointer; alternatives inside them are branches too.

    Inner ones only where they refuse the value: two of a `oneOf` may accept it.
    """
    pointers: list[SchemaPath] = []
    waiting = [(*pointer, index) for index in range(len(document.at(pointer)))]
    seen = set(waiting)
    while waiting and len(pointers) < _MAX_BRANCHES and len(seen) < 10 * _MAX_BRANCHES:
        here = waiting.pop(0)
        inner = [option for option in _inner(document, here) if option not in seen]
        seen.update(inner)
        if inner and not any(document.accepts(option, value) for option in inner):
            waiting = inner + waiting
        else:
            pointers.append(here)
    return pointers


def intended_branch(
    document: SchemaDocument, branches: Sequence[Branch], value: Any, path: ValuePath
) -> SchemaPath | Fault:
    """The branch that was most probably meant; else a fault that holds for all branches.

    Of the branches for this kind of value: the only one; the one that a property with constant
    values names; else the one with the fewest faults. Nulls count last: they may be left out.
    """
    possible = [branch for branch in branches if not _kind_faults(branch, path)]
    if not possible:
        return _other_kind(branches, value, path)
    if len(possible) == 1:
        return possible[0].pointer
    if isinstance(value, dict):
        tagged = _by_tag(document, possible, value, path)
        if tagged is not None:
            return tagged
        if all(_only_lacks_properties(branch, path) for branch in possible):
            sets = [[fault.path[-1] for fault in branch.faults] for branch in possible]
            return Fault(path, "missing", value, sets)
    return min(possible, key=_distance).pointer


def _inner(document: SchemaDocument, pointer: SchemaPath) -> list[SchemaPath]:
    """The inner branches of a branch that only lists alternatives, directly or by reference."""
    target: SchemaPath | None = pointer
    for _ in range(_MAX_BRANCHES):
        schema = document.at(target) if target is not None else None
        if not isinstance(schema, dict) or "properties" in schema or "type" in schema:
            return []
        for keyword in _ALTERNATIVES:
            if isinstance(schema.get(keyword), list) and target is not None:
                return [(*target, keyword, index) for index in range(len(schema[keyword]))]
        target = document.target(schema.get("$ref"))
    return []


def _kind_faults(branch: Branch, path: ValuePath) -> list[Fault]:
    return [
        fault for fault in branch.faults if fault.path == path and fault.keyword in _OF_ANOTHER_KIND
    ]


def _other_kind(branches: Iterable[Branch], value: object, path: ValuePath) -> Fault:
    """The fault of a value of another type than all branches, with the allowed types and values."""
    types: dict[str, None] = {}
    values: dict[str, object] = {}
    for branch in branches:
        for fault in _kind_faults(branch, path):
            expected = fault.expected
            if fault.keyword == "type":
                names = expected if isinstance(expected, list) else [expected]
                types |= dict.fromkeys(str(name) for name in names)
            elif fault.keyword != "false":
                options = expected if fault.keyword == "enum" else [expected]
                listed = options if isinstance(options, list) else []
                values |= {_text(option): option for option in listed}
    return Fault(path, "choice", value, Choice(tuple(types), tuple(values.values())))


def _by_tag(
    document: SchemaDocument, branches: Sequence[Branch], value: Any, path: ValuePath
) -> SchemaPath | Fault | None:
    """The branch that a tag names; a fault where it names none; None where there is no tag."""
    tags = [_constants(document, branch.pointer) for branch in branches]
    for name in tags[0]:
        values = [tag.get(name, {}) for tag in tags]
        merged = {key: option for options in values for key, option in options.items()}
        is_tag = all(values) and len(merged) == sum(map(len, values))
        if not is_tag:
            continue
        options = list(merged.values())
        if name not in value:
            return Fault((*path, name), "required", None, options)
        given = _text(value[name])
        for branch, constants in zip(branches, values, strict=True):
            if given in constants:
                return branch.pointer
        return Fault((*path, name), "enum", value[name], options)
    return None


def _constants(document: SchemaDocument, pointer: SchemaPath) -> dict[str, dict[str, object]]:
    """The constants of a branch: by property, the constant values by their text."""
    constants: dict[str, dict[str, object]] = {}
    for part in parts_of(document, pointer):
        properties = document.at(part).get("properties")
        for name in properties if isinstance(properties, dict) else ():
            options = _options(document, (*part, "properties", name))
            if options:
                constants.setdefault(name, {_text(option): option for option in options})
    return constants


def _options(document: SchemaDocument, pointer: SchemaPath) -> list[object]:
    for part in parts_of(document, pointer):
        schema = document.at(part)
        if "const" in schema:
            return [schema["const"]]
        if isinstance(schema.get("enum"), list):
            return list(schema["enum"])
    return []


def _only_lacks_properties(branch: Branch, path: ValuePath) -> bool:
    return all(
        fault.keyword == "required" and fault.path[:-1] == path and fault.expected is None
        for fault in branch.faults
    )


def _distance(branch: Branch) -> tuple[int, int]:
    nulls = sum(fault.given is None and fault.keyword != "required" for fault in branch.faults)
    return len(branch.faults) - nulls, len(branch.faults)


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
