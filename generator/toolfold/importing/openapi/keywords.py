"""The keywords of a schema whose values are no schemas: each kept where its value has the right form."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import jsonschema_rs
from toolfold_runtime.contract.codec import Json

from toolfold.importing.openapi.warnings import Warnings
from toolfold.manifest.json_schema import TYPES

_ALIASES: Final = {
    **dict.fromkeys(("int", "long", "int32", "int64", "Integer"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "Number"), "number"),
    **dict.fromkeys(("str", "text", "date", "datetime", "date-time", "uuid", "String"), "string"),
    **dict.fromkeys(("bool", "Boolean"), "boolean"),
    **dict.fromkeys(("dict", "map", "Object"), "object"),
    **dict.fromkeys(("list", "Array"), "array"),
}
_NUMBERS: Final = ("minimum", "maximum")
_COUNTS: Final = (
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    *("minContains", "maxContains"),
)
_FORMS: Final = ("contentEncoding", "contentMediaType")
_BOUNDS: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_DEEPEST_VALUE: Final = 8
_LONGEST_PATTERN: Final = 2000
# A pattern as JavaScript writes it between slashes, which as it stands matches nothing: `/^a$/`.
_LITERAL: Final = re.compile(r"/(\^.*|.*\$)/([a-z]*)", re.DOTALL)


def type_of(schema: Json, warnings: Warnings) -> str | list[str] | None:
    """The type that a schema names, in the words of JSON Schema; None where it names none."""
    given = schema.get("type")
    if given is None:
        return None
    names = [_type_name(name, warnings) for name in (given if isinstance(given, list) else [given])]
    known = list(dict.fromkeys(name for name in names if name))
    if not known or (len(known) < len(names)):
        return None  # one that is not known may be any
    return known[0] if len(known) == 1 else known


def _type_name(name: object, warnings: Warnings) -> str | None:
    if not isinstance(name, str):
        warnings.add("types that are no names are left out", ascii(name)[:60])
        return None
    if name in TYPES:
        return name
    if name == "file":
        return "string"
    known = _ALIASES.get(name)
    what = f"read as {known}" if known else "left out"
    warnings.add(f"types that JSON Schema does not have are {what}", ascii(name)[:60])
    return known


def simple_keywords(schema: Json, warnings: Warnings) -> Iterator[tuple[str, Any]]:
    """What a schema says besides its type, its values and its subschemas."""
    for key in _NUMBERS:
        if _is_number(schema.get(key)):
            yield key, schema[key]
    yield from _exclusive(schema)
    if _is_number(schema.get("multipleOf")) and schema["multipleOf"] > 0:
        yield "multipleOf", schema["multipleOf"]
    for key in _COUNTS:
        count = schema.get(key, -1)
        if _is_number(count) and count >= 0 and int(count) == count:
            yield key, int(count)
    if schema.get("uniqueItems") is True:
        yield "uniqueItems", True
    yield from _pattern(schema, warnings)
    if schema.get("type") == "file":
        yield "format", "binary"
    elif isinstance(schema.get("format"), str):
        yield "format", schema["format"][:100]
    for key in _FORMS:
        if isinstance(schema.get(key), str):
            yield key, schema[key][:100]
    if "default" in schema and is_writable(schema["default"]):
        yield "default", schema["default"]
    if schema.get("deprecated") is True:
        yield "deprecated", True


def _exclusive(schema: Json) -> Iterator[tuple[str, Any]]:
    """Exclusive bounds as numbers; up to 3.0 they are a truth value beside the bound."""
    for key, bound in _BOUNDS.items():
        given = schema.get(key)
        if _is_number(given):
            yield key, given
        elif given is True and _is_number(schema.get(bound)):
            yield key, schema[bound]


def _pattern(schema: Json, warnings: Warnings) -> Iterator[tuple[str, Any]]:
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return
    literal = _LITERAL.fullmatch(pattern)
    if literal and "i" not in literal[2]:
        warnings.add("patterns between slashes are read without them", ascii(pattern)[:80])
        pattern = literal[1]
    elif literal:
        warnings.add("patterns that ignore case are left out", ascii(pattern)[:80])
        return
    if len(pattern) <= _LONGEST_PATTERN and _compiles(pattern):
        yield "pattern", pattern
    else:
        warnings.add("patterns that cannot be compiled are left out", ascii(pattern)[:80])


@cache
def _compiles(pattern: str) -> bool:
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True


def values_of(
    schema: Json, kind: object, warnings: Warnings, *, is_nullable: bool
) -> list[Any] | None:
    """The values that `enum` allows, each once; None where it allows any, or is none."""
    given = schema.get("enum")
    if not isinstance(given, list) or not all(map(is_writable, given)):
        return None
    if kind == "array" and not any(isinstance(value, list) for value in given):
        # They are meant for the items, and as they stand no list is allowed.
        warnings.add("values of lists that are no lists are left out", ascii(given)[:60])
        return None
    values = {json.dumps(value, sort_keys=True): value for value in _of_type(given, kind)}
    if values and is_nullable:
        values["null"] = None
    return list(values.values()) or None


def _of_type(values: list[Any], kind: object) -> list[Any]:
    """Values of a schema of text are text, and of one of numbers numbers: YAML and authors mix them up."""
    if kind == "string":
        return [
            json.dumps(value) if isinstance(value, bool | int | float) else value
            for value in values
        ]
    if kind in ("integer", "number"):
        return [_number(value) if isinstance(value, str) else value for value in values]
    return values


def _number(text: str) -> int | float | str:
    """The number that a text is; a text that is none stays what it is."""
    if re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?[0-9]{1,18}\.[0-9]{1,18}", text) else text


def is_writable(value: object, depth: int = 0) -> bool:
    """Whether a value of a document, such as a default, can stand in a manifest."""
    if depth > _DEEPEST_VALUE:
        return False
    if isinstance(value, dict):
        keys_fit = all(isinstance(key, str) and len(key) < 500 for key in value)
        return keys_fit and all(is_writable(inner, depth + 1) for inner in value.values())
    if isinstance(value, list):
        return all(is_writable(item, depth + 1) for item in value)
    return not isinstance(value, int) or abs(value) < 10**300


def _is_number(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and is_writable(value)
