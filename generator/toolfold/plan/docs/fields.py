"""A schema as a table: every property with its type, default, constraints and description.

Foreign schemas hold anything anywhere, so every value is checked before it is used.
"""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import resolve

from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.text.escape import json_text, markdown, markdown_code

_MAX_DEPTH: Final = 3
_MAX_ROWS: Final = 60
_MAX_VALUES: Final = 20
_SHORT_ENUM: Final = 6  # a type's name holds that many
_RANGES: Final = (
    ("minimum", "maximum", "", ""),
    ("minLength", "maxLength", " character", " characters"),
    ("minItems", "maxItems", " item", " items"),
    ("minProperties", "maxProperties", " property", " properties"),
)
_WORDS: Final = (
    ("exclusiveMinimum", "more than"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
    ("pattern", "like"),
    ("format", "format"),
)

_COLUMNS: Final = {
    "name": "Name",
    "type": "Type",
    "default": "Default",
    "constraints": "Constraints",
    "description": "Description",
}

Row = dict[str, str]


def table(schema: Json, *, is_result: bool = False) -> dict[str, object]:
    """A row for each property, nested ones by their path, without empty columns."""
    rows: list[Row] = []
    left_out = ""
    inner = _inside(schema, schema)
    prefix = "" if inner is _resolved(schema, schema) else "[]."
    for row in _properties(inner, schema, prefix, 1):
        if len(rows) == _MAX_ROWS:
            left_out = f"More than {_MAX_ROWS} fields; `catalog.json` has the whole schema."
            break
        rows.append(row)
    columns = [
        key
        for key in _COLUMNS
        if any(row[key] for row in rows) and not (is_result and key == "default")
    ]
    return {
        "head": " | ".join(_COLUMNS[key] for key in columns),
        "rule": " | ".join("---" for _ in columns),
        "rows": [" | ".join(row[key] for key in columns) for row in rows],
        "left_out": left_out,
    }


def _properties(schema: object, document: Json, prefix: str, depth: int) -> Iterator[Row]:
    required = required_of(schema)
    for name, prop in properties_of(schema).items():
        inner = _resolved(prop, document)
        yield {
            "name": markdown_code(f"{prefix}{name}"),
            "type": markdown_code(type_name(prop, document)),
            "default": _default(prop, inner, name in required),
            "constraints": "; ".join(_constraints(inner)),
            "description": markdown(_description(prop, inner)),
        }
        if depth < _MAX_DEPTH:
            nested = _inside(inner, document)
            mark = "" if nested is inner else "[]"
            yield from _properties(nested, document, f"{prefix}{name}{mark}.", depth + 1)


def _inside(schema: object, document: Json) -> object:
    """What holds the properties: the schema itself, or the items of a list of objects."""
    schema = _resolved(schema, document)
    if isinstance(schema, dict) and schema.get("type") == "array":
        return _resolved(schema.get("items"), document)
    return schema


def _resolved(schema: object, document: Json) -> object:
    for _ in range(_MAX_DEPTH):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            break
        schema = resolve(document, schema["$ref"])
    return schema


def _default(prop: object, inner: object, is_required: bool) -> str:
    if is_required:
        return "required"
    for schema in (prop, inner):
        if isinstance(schema, dict) and "default" in schema:
            return markdown_code(json_text(schema["default"]))
    return ""


def _description(prop: object, inner: object) -> str:
    for schema in (prop, inner):
        if isinstance(schema, dict) and isinstance(schema.get("description"), str):
            text: str = schema["description"]
            return text
    return ""


def _constraints(schema: object) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    for low, high, one, many in _RANGES:
        if low in schema or high in schema:
            yield _range(schema, low, high, one, many)
    values = schema.get("enum")
    if isinstance(values, list) and len(values) > _SHORT_ENUM:
        first = ", ".join(markdown_code(json_text(value)) for value in values[:_MAX_VALUES])
        more = len(values) - _MAX_VALUES
        yield f"one of {first}" + (f" and {more} more" if more > 0 else "")
    for key, words in _WORDS:
        if key in schema:
            value = schema[key]
            yield f"{words} {markdown_code(value if isinstance(value, str) else json_text(value))}"
    if schema.get("uniqueItems") is True:
        yield "no two alike"
    if schema.get("deprecated") is True:
        yield "deprecated"


def _range(schema: Json, low: str, high: str, one: str, many: str) -> str:
    start, end = (markdown(json_text(schema[key])) if key in schema else "" for key in (low, high))
    unit = one if (end or start) == "1" else many
    if start and end:
        return f"{start} to {end}{unit}" if start != end else f"exactly {start}{unit}"
    return f"at least {start}{unit}" if start else f"at most {end}{unit}"
