"""Two schemas compared in depth, field by field, and whether what changed breaks somebody.

Inputs may accept more and results may promise more; the other way round, a call that was right is
refused, or a field that was read is gone.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import resolve

from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.text.escape import json_text, markdown_code

_MAX_DEPTH: Final = 12
_MAX_STEPS: Final = 8
#: Keywords that bound values from below, from above, or otherwise narrow them.
_LEAST: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_MOST: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_NARROWING: Final = ("pattern", "multipleOf", "uniqueItems")
#: Others that decide which values are valid; what a change of them does, nobody can say in general.
_DECIDING: Final = frozenset(
    [
        "not",
        "if",
        "then",
        "else",
        "patternProperties",
        "propertyNames",
        "dependentRequired",
        "dependentSchemas",
        "contains",
        "minContains",
        "maxContains",
        "prefixItems",
        "unevaluatedProperties",
        "unevaluatedItems",
    ]
)


class Change(NamedTuple):
    """One thing that changed, as Markdown, and whether it breaks a caller."""

    words: str
    breaks: bool = False


class _Sides(NamedTuple):
    """What two schemas of one field are compared with."""

    before: Json
    after: Json
    is_result: bool
    #: The references that lead to what is compared.
    open: frozenset[str] = frozenset()

    def narrowed(self, words: str) -> Change:
        """Fewer values than before: callers may send what is refused now."""
        return Change(words, breaks=not self.is_result)

    def widened(self, words: str, *, in_kind: bool = False) -> Change:
        """More values than before: readers may meet what they do not know, even of another type."""
        return Change(words, breaks=self.is_result and in_kind)


def schema_changes(before: Json, after: Json, *, is_result: bool) -> Iterator[Change]:
    """What changed between two schemas, parameters or results."""
    sides = _Sides(before, after, is_result)
    name = "results" if is_result else ""
    yield from _compared(before, after, sides, name, 0)


def _compared(was: object, now: object, sides: _Sides, path: str, depth: int) -> Iterator[Change]:
    if depth > _MAX_DEPTH:
        return
    reference = was.get("$ref") if isinstance(was, dict) else None
    if isinstance(reference, str):
        if reference in sides.open:
            return  # what is being compared already
        sides = sides._replace(open=sides.open | {reference})
    first, second = _resolved(was, sides.before), _resolved(now, sides.after)
    if first == second and sides.before.get("$defs") == sides.after.get("$defs"):
        return
    if path:
        yield from _type(first, second, sides, path)
        yield from _values(first, second, sides, path)
        yield from _bounds(first, second, sides, path)
        yield from _other(first, second, sides, path)
    yield from _properties(first, second, sides, path, depth)
    if isinstance(first.get("items"), dict) and isinstance(second.get("items"), dict):
        yield from _compared(first["items"], second["items"], sides, f"{path}[]", depth + 1)
    yield from _branches(first, second, sides, path, depth)


def _properties(was: Json, now: Json, sides: _Sides, path: str, depth: int) -> Iterator[Change]:
    before, after = properties_of(was), properties_of(now)
    needed_before, needed_after = required_of(was), required_of(now)
    for name, schema in after.items():
        if name not in before:
            yield _added(name, schema, name in needed_after, sides, path)
    for name in before:
        if name not in after:
            yield _removed(name, was, now, name in needed_before, sides, path)
    for name, schema in after.items():
        if name not in before:
            continue
        field = _field(path, name)
        if name in needed_after and name not in needed_before:
            word = "always there now" if sides.is_result else "now required"
            yield Change(f"{_named(field, sides)}: {word}", breaks=not sides.is_result)
        if name in needed_before and name not in needed_after:
            word = "may be missing now" if sides.is_result else "no longer required"
            yield Change(f"{_named(field, sides)}: {word}", breaks=sides.is_result)
        yield from _compared(before[name], schema, sides, field, depth + 1)
    yield from _additional(was, now, sides, path)


def _added(name: str, schema: object, is_required: bool, sides: _Sides, path: str) -> Change:
    kind = markdown_code(type_name(schema, sides.after))
    needed = ", required" if is_required and not sides.is_result else ""
    words = f"{_named(_field(path, name), sides)} added: {kind}{needed}"
    return Change(words, breaks=bool(needed))


def _removed(
    name: str, was: Json, now: Json, was_required: bool, sides: _Sides, path: str
) -> Change:
    """A field that is gone: readers miss it, and callers that send it may be refused."""
    words = f"{_named(_field(path, name), sides)} removed"
    if sides.is_result:
        return Change(words, breaks=True)
    is_refused = now.get("additionalProperties") is False
    return Change(words if is_refused else f"{words}, and ignored", breaks=is_refused)


def _additional(was: Json, now: Json, sides: _Sides, path: str) -> Iterator[Change]:
    closed = [schema.get("additionalProperties") is False for schema in (was, now)]
    if closed[0] == closed[1] or not (was and now):
        return
    where = _named(path, sides) if path else "other parameters"
    if closed[1]:
        yield Change(f"{where}: unknown fields are refused now", breaks=not sides.is_result)
    else:
        yield Change(f"{where}: unknown fields are allowed now")


def _type(was: Json, now: Json, sides: _Sides, path: str) -> Iterator[Change]:
    kinds = _kinds(was), _kinds(now)
    names = type_name(was, sides.before), type_name(now, sides.after)
    if kinds[0] == kinds[1]:
        if names[0] != names[1] and not _is_enumerated(was, now):
            yield Change(_arrow(path, names[0], names[1], sides))
        return
    words = _arrow(path, names[0], names[1], sides)
    if not kinds[0] or (kinds[1] and kinds[1] < kinds[0]):
        yield sides.narrowed(words)
    elif not kinds[1] or kinds[0] < kinds[1]:
        yield sides.widened(words, in_kind=True)
    else:
        yield Change(words, breaks=True)


def _is_enumerated(was: Json, now: Json) -> bool:
    return any(
        key in schema
        for schema in (was, now)
        for key in ("enum", "const", "anyOf", "oneOf", "items")
    )


def _kinds(schema: Json) -> frozenset[str]:
    """The types that a schema names; an integer is a number too. Empty where it names none."""
    kind = schema.get("type")
    kinds = {str(one) for one in (kind if isinstance(kind, list) else [kind] if kind else [])}
    return frozenset(kinds | ({"integer"} if "number" in kinds else set()))


def _values(was: Json, now: Json, sides: _Sides, path: str) -> Iterator[Change]:
    first, second = _enumerated(was), _enumerated(now)
    if first is not None and second is not None:
        more = [value for value in second if value not in first]
        less = [value for value in first if value not in second]
        if less:
            yield sides.narrowed(f"{_named(path, sides)}: no longer {_shown(less)}")
        if more:
            yield sides.widened(f"{_named(path, sides)}: also {_shown(more)}")
    elif second is not None:
        yield sides.narrowed(f"{_named(path, sides)}: only {_shown(second)} now")
    elif first is not None:
        yield sides.widened(f"{_named(path, sides)}: not only {_shown(first)} now")
    if was.get("default") != now.get("default") or ("default" in was) != ("default" in now):
        yield Change(f"{_named(path, sides)}: default {_default(was)} → {_default(now)}")


def _enumerated(schema: Json) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def _bounds(was: Json, now: Json, sides: _Sides, path: str) -> Iterator[Change]:
    for key in (*_LEAST, *_MOST, *_NARROWING):
        first, second = was.get(key), now.get(key)
        if first == second:
            continue
        shown = (
            markdown_code(json_text(value)) if value is not None else "none"
            for value in (first, second)
        )
        words = f"{_named(path, sides)}: {markdown_code(key)} {' → '.join(shown)}"
        is_looser = second is None or (first is not None and _is_looser(key, first, second))
        yield sides.widened(words) if is_looser else sides.narrowed(words)


def _is_looser(key: str, first: object, second: object) -> bool:
    if not isinstance(first, int | float) or not isinstance(second, int | float):
        return False
    return second < first if key in _LEAST else second > first if key in _MOST else False


def _other(was: Json, now: Json, sides: _Sides, path: str) -> Iterator[Change]:
    if was.get("format") != now.get("format"):
        yield Change(
            f"{_named(path, sides)}: format {_word(was, 'format')} → {_word(now, 'format')}"
        )
    if was.get("description") != now.get("description"):
        yield Change(f"{_named(path, sides)}: described otherwise")
    changed = [key for key in _DECIDING if was.get(key) != now.get(key)]
    if changed:
        words = ", ".join(markdown_code(key) for key in sorted(changed))
        yield Change(f"{_named(path, sides)}: {words} changed, which may break", breaks=True)


def _branches(was: Json, now: Json, sides: _Sides, path: str, depth: int) -> Iterator[Change]:
    for key in ("anyOf", "oneOf", "allOf"):
        first, second = ([*_list(schema.get(key))] for schema in (was, now))
        if first == second:
            continue
        where = _named(path, sides) if path else "parameters"
        if len(first) == len(second):
            for number, (one, other) in enumerate(zip(first, second, strict=True)):
                place = path if len(first) == 1 else f"{path}({number + 1})"
                yield from _compared(one, other, sides, place, depth + 1)
        elif (len(second) > len(first)) == (key != "allOf") and first:
            yield sides.widened(f"{where}: one more alternative")
        else:
            yield sides.narrowed(f"{where}: fewer alternatives, or more conditions")


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _resolved(schema: object, document: Json) -> Json:
    for _ in range(_MAX_STEPS):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            break
        found = resolve(document, schema["$ref"])
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**found, **beside} if isinstance(found, dict) else found
    return schema if isinstance(schema, dict) else {}


def _field(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _named(path: str, sides: _Sides) -> str:
    """A field as the page calls it: its path, or the results as a whole."""
    if not sides.is_result:
        return f"parameter {markdown_code(path)}"
    inside = path.removeprefix("results").removeprefix(".")
    return f"result {markdown_code(inside)}" if inside else "results"


def _arrow(path: str, first: str, second: str, sides: _Sides) -> str:
    return f"{_named(path, sides)}: {markdown_code(first)} → {markdown_code(second)}"


def _shown(values: list[Any]) -> str:
    return ", ".join(markdown_code(json_text(value)) for value in values[:8]) + (
        f" and {len(values) - 8} more" if len(values) > 8 else ""
    )


def _default(schema: Json) -> str:
    return markdown_code(json_text(schema["default"])) if "default" in schema else "none"


def _word(schema: Json, key: str) -> str:
    return markdown_code(str(schema[key])) if key in schema else "none"
