"""The rows of a schema: every property with its type, default, constraints and words.

Foreign schemas hold anything anywhere, so nothing is taken for granted here.
"""

from collections.abc import Iterator
from typing import Any, Final

from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.model import Json
from toolfold.plan.schemas.keywords import resolve
from toolfold.plan.text.escape import json_text, markdown, markdown_code

_DEEPEST: Final = 3
_MOST_ROWS: Final = 60
_MOST_VALUES: Final = 20
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


def table(schema: Json, *, is_result: bool = False) -> Json:
    """A row for each property, nested ones by their path; columns that say nothing are left out."""
    found: list[Row] = []
    left_out = ""
    inner = _inside(schema, schema)
    prefix = "" if inner is _resolved(schema, schema) else "[]."
    for row in _properties(inner, schema, prefix, 1):
        if len(found) == _MOST_ROWS:
            left_out = f"More than {_MOST_ROWS} fields; `catalog.json` has the whole schema."
            break
        found.append(row)
    columns = [
        key
        for key in _COLUMNS
        if any(row[key] for row in found) and not (is_result and key == "default")
    ]
    return {
        "head": " | ".join(_COLUMNS[key] for key in columns),
        "rule": " | ".join("---" for _ in columns),
        "rows": [" | ".join(row[key] for key in columns) for row in found],
        "left_out": left_out,
    }


def _properties(schema: Any, document: Json, prefix: str, depth: int) -> Iterator[Row]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    for name, given in properties.items():
        inner = _resolved(given, document)
        yield {
            "name": markdown_code(f"{prefix}{name}"),
            "type": markdown_code(type_name(given, document)),
            "default": _default(given, inner, name in required),
            "constraints": "; ".join(_constraints(inner)),
            "description": markdown(_description(given, inner)),
        }
        if depth < _DEEPEST:
            nested = _inside(inner, document)
            mark = "" if nested is inner else "[]"
            yield from _properties(nested, document, f"{prefix}{name}{mark}.", depth + 1)


def _inside(schema: Any, document: Json) -> Any:
    """What holds the properties: the schema itself, or the items of a list of objects."""
    schema = _resolved(schema, document)
    if isinstance(schema, dict) and schema.get("type") == "array":
        return _resolved(schema.get("items"), document)
    return schema


def _resolved(schema: Any, document: Json) -> Any:
    for _ in range(_DEEPEST):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            break
        schema = resolve(document, schema["$ref"])
    return schema


def _default(given: Any, inner: Any, is_required: bool) -> str:
    if is_required:
        return "required"
    for schema in (given, inner):
        if isinstance(schema, dict) and "default" in schema:
            return markdown_code(json_text(schema["default"]))
    return ""


def _description(given: Any, inner: Any) -> str:
    for schema in (given, inner):
        if isinstance(schema, dict) and isinstance(schema.get("description"), str):
            text: str = schema["description"]
            return text
    return ""


def _constraints(schema: Any) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    for low, high, one, many in _RANGES:
        if low in schema or high in schema:
            yield _range(schema, low, high, one, many)
    values = schema.get("enum")
    if isinstance(values, list) and len(values) > _SHORT_ENUM:
        shown = ", ".join(markdown_code(json_text(value)) for value in values[:_MOST_VALUES])
        more = len(values) - _MOST_VALUES
        yield f"one of {shown}" + (f" and {more} more" if more > 0 else "")
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
