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
_MAX_MERGES: Final = 3  # of `allOf` within `allOf`
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
_OF_OBJECTS: Final = frozenset(["type", "properties", "required", "title", "description"])
#: What says something of values without deciding which are valid.
_ANNOTATIONS: Final = frozenset(["title", "description", "default", "examples", "deprecated"])
_CHOICES: Final = ("anyOf", "oneOf")
_NULL: Final = {"type": "null"}


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
        yield from _words(first, second, sides, path)
        if _is_choice(first) or _is_choice(second):
            yield from _choices(first, second, sides, path, depth)
            return
        yield from _type(first, second, sides, path)
        yield from _values(first, second, sides, path)
        yield from _bounds(first, second, sides, path)
        yield from _other(first, second, sides, path)
    yield from _properties(first, second, sides, path, depth)
    yield from _items(first, second, sides, path, depth)
    yield from _branches(first, second, sides, path, depth)


def _properties(was: Json, now: Json, sides: _Sides, path: str, depth: int) -> Iterator[Change]:
    before, after = properties_of(was), properties_of(now)
    needed_before, needed_after = required_of(was), required_of(now)
    for name, schema in after.items():
        if name not in before:
            yield _added(name, schema, name in needed_after, sides, path)
    for name in before:
        if name not in after:
            yield _removed(name, now, sides, path)
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
    yield from _additional(was, now, sides, path, depth)


def _items(was: Json, now: Json, sides: _Sides, path: str, depth: int) -> Iterator[Change]:
    first, second = (schema.get("items") or None for schema in (was, now))
    item = f"{path}[]"
    if isinstance(first, dict) and isinstance(second, dict):
        yield from _compared(first, second, sides, item, depth + 1)
    elif "array" in _kinds(was) & _kinds(now) and first != second:
        words = _arrow(item, type_name(first, sides.before), type_name(second, sides.after), sides)
        yield sides.widened(words, in_kind=True) if second is None else sides.narrowed(words)


def _added(name: str, schema: object, is_required: bool, sides: _Sides, path: str) -> Change:
    kind = markdown_code(type_name(schema, sides.after))
    needed = ", required" if is_required and not sides.is_result else ""
    words = f"{_named(_field(path, name), sides)} added: {kind}{needed}"
    return Change(words, breaks=bool(needed))


def _removed(name: str, now: Json, sides: _Sides, path: str) -> Change:
    """A field that was removed: readers miss it, and callers that send it may be refused."""
    words = f"{_named(_field(path, name), sides)} removed"
    if sides.is_result:
        return Change(words, breaks=True)
    is_refused = now.get("additionalProperties") is False
    return Change(words if is_refused else f"{words}, and ignored", breaks=is_refused)


def _additional(was: Json, now: Json, sides: _Sides, path: str, depth: int) -> Iterator[Change]:
    first, second = (schema.get("additionalProperties") for schema in (was, now))
    if not (was and now):
        return
    where = _named(path, sides) if path else "other parameters"
    if (first is False) != (second is False):
        if second is False:
            yield sides.narrowed(f"{where}: unknown fields are refused now")
        else:
            yield sides.widened(f"{where}: unknown fields are allowed now")
    elif isinstance(first, dict) and isinstance(second, dict):
        yield from _compared(first, second, sides, _field(path, "*"), depth + 1)
    elif isinstance(second, dict) and second:
        kind = markdown_code(type_name(second, sides.after))
        yield sides.narrowed(f"{where}: other fields are only {kind} now")
    elif isinstance(first, dict) and first:
        yield sides.widened(f"{where}: other fields may be anything now", in_kind=True)


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
    changed = [key for key in _DECIDING if was.get(key) != now.get(key)]
    if changed:
        words = ", ".join(markdown_code(key) for key in sorted(changed))
        yield Change(f"{_named(path, sides)}: {words} changed, which may break", breaks=True)


def _words(was: Json, now: Json, sides: _Sides, path: str) -> Iterator[Change]:
    """The default and the description, which do not decide which values are valid."""
    if was.get("default") != now.get("default") or ("default" in was) != ("default" in now):
        yield Change(f"{_named(path, sides)}: default {_default(was)} → {_default(now)}")
    if was.get("description") != now.get("description"):
        yield Change(f"{_named(path, sides)}: described otherwise")


def _is_choice(schema: Json) -> bool:
    """Whether a schema is nothing but a choice between others."""
    return any(
        _list(schema.get(key)) and not schema.keys() - _ANNOTATIONS - {key} for key in _CHOICES
    )


def _alternatives(schema: Json, document: Json) -> list[Json]:
    """What a value may be: the schemas of a choice, or one for each type."""
    if _is_choice(schema):
        branches = next(schema[key] for key in _CHOICES if key in schema)
        return [_resolved(branch, document) for branch in branches]
    bare = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
    kinds = schema.get("type")
    return [bare | {"type": kind} for kind in kinds] if isinstance(kinds, list) else [bare]


def _choices(was: Json, now: Json, sides: _Sides, path: str, depth: int) -> Iterator[Change]:
    """Alternatives compared in any order; a schema without a choice is one itself."""
    added = _alternatives(now, sides.after)
    removed, pairs = [], []
    for one in (before := _alternatives(was, sides.before)):
        same = [candidate for candidate in added if candidate == one] or [
            candidate
            for candidate in added
            if _kinds(candidate) and _kinds(candidate) == _kinds(one)
        ]
        if same:
            pairs.append((one, same[0]))
            added = [candidate for candidate in added if candidate is not same[0]]
        else:
            removed.append(one)
    for number, (one, other) in enumerate(pairs):
        place = path if len(before) - (_NULL in before) < 2 else f"{path}({number + 1})"
        yield from _compared(one, other, sides, place, depth + 1)
    for one in removed:
        kind = markdown_code(type_name(one, sides.before))
        yield sides.narrowed(f"{_named(path, sides)}: no longer {kind}")
    for one in added:
        kind = markdown_code(type_name(one, sides.after))
        yield sides.widened(f"{_named(path, sides)}: also {kind}", in_kind=one == _NULL)


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


def _resolved(schema: object, document: Json, merges: int = _MAX_MERGES) -> Json:
    for _ in range(_MAX_STEPS):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            break
        found = resolve(document, schema["$ref"])
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**found, **beside} if isinstance(found, dict) else found
    return _merged(schema, document, merges) if isinstance(schema, dict) else {}


def _merged(schema: Json, document: Json, merges: int) -> Json:
    """The schema with the objects that it is `allOf` put into it, where they say nothing else."""
    parts = [_resolved(part, document, merges - 1) for part in _list(schema.get("allOf")) if merges]
    if not parts or any(part.keys() - _OF_OBJECTS for part in parts):
        return schema
    whole = {key: value for key, value in schema.items() if key != "allOf"}
    for part in parts:
        properties = {**properties_of(part), **properties_of(whole)}
        required = [*required_of(part), *required_of(whole)]
        whole = {**part, **whole, "properties": properties, "required": required}
    return whole


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
