"""A schema as a list of fields in Markdown: name, type, default and constraints on one line.

Every field at the top is there, whatever else has to be left out; fields of a field are nested
below it. Foreign schemas hold anything anywhere, so every value is checked before it is used.
"""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import resolve

from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.text.escape import json_text, markdown, markdown_block, markdown_code

_MAX_DEPTH: Final = 4
_MOST_NESTED: Final = 40  # below one field at the top
_MOST_TYPE: Final = 60
_MAX_VALUES: Final = 20
_MAX_STEPS: Final = 8
_SHORT_ENUM: Final = 6  # a type's name holds that many
_INDENT: Final = "    "  # what every renderer takes for a part of an item
_NULL: Final = {"type": "null"}
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


class _Room:
    """How many nested fields may still be written, and whether one was not."""

    def __init__(self) -> None:
        self.left = _MOST_NESTED
        self.is_short = False

    def take(self) -> bool:
        """Whether there is room for another, which is then taken."""
        self.is_short = self.is_short or self.left == 0
        self.left = max(0, self.left - 1)
        return not self.is_short


def field_list(schema: Json, *, is_result: bool = False) -> str:
    """Every property of a schema; empty where there is none."""
    inner = _inside(schema, schema)
    items = []
    required = required_of(inner)
    for name, prop in properties_of(inner).items():
        room = _Room()
        is_required = name in required and not is_result
        item = _item(name, prop, schema, is_required=is_required)
        lines = [*item, *_nested(prop, schema, 1, room, is_result=is_result)]
        if room.is_short:
            lines += ["", f"{_INDENT}Some of its fields are left out here; its schema has them."]
        items.append("\n".join(lines))
    # Loose, all of them, so that each begins with a paragraph of its own.
    return "\n\n".join(items)


def _nested(
    schema: object, document: Json, depth: int, room: _Room, *, is_result: bool
) -> Iterator[str]:
    """The fields of a field, as lines that stand below it."""
    if depth >= _MAX_DEPTH:
        return
    inner = _inside(schema, document)
    indent = _INDENT * depth
    required = required_of(inner)
    for name, prop in properties_of(inner).items():
        if not room.take():
            return
        yield ""
        is_required = name in required and not is_result
        for line in _item(name, prop, document, is_required=is_required):
            yield f"{indent}{line}" if line else ""
        yield from _nested(prop, document, depth + 1, room, is_result=is_result)


def _item(name: str, prop: object, document: Json, *, is_required: bool) -> Iterator[str]:
    inner = _resolved(prop, document)
    kind = type_name(prop, document)
    kind = kind if len(kind) <= _MOST_TYPE else f"{kind[: _MOST_TYPE - 1]}…"
    parts = [f"{markdown_code(kind)}{' *required*' if is_required else ''}"]
    default = _default(prop, inner)
    parts += [f"default {default}"] if default and not is_required else []
    parts += _constraints(inner)
    yield f"- **{markdown_code(name)}** {' · '.join(parts)}"
    if description := _description(prop, inner):
        yield ""
        for line in markdown_block(description).split("\n"):
            yield f"{_INDENT}{line}" if line else ""


def _inside(schema: object, document: Json) -> object:
    """What holds the fields: the schema, the items of a list, or the one alternative to null."""
    for _ in range(_MAX_STEPS):
        schema = _resolved(schema, document)
        if not isinstance(schema, dict) or properties_of(schema):
            return schema
        following = _following(schema)
        if following is None:
            return schema
        schema = following
    return schema


def _following(schema: Json) -> object:
    if isinstance(schema.get("items"), dict):
        return schema["items"]
    for keyword in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list):
            real = [branch for branch in branches if branch != _NULL]
            if len(real) == 1:
                return real[0]
    return None


def _resolved(schema: object, document: Json) -> object:
    for _ in range(_MAX_STEPS):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            break
        schema = resolve(document, schema["$ref"])
    return schema


def _default(prop: object, inner: object) -> str:
    for schema in (prop, inner):
        if isinstance(schema, dict) and "default" in schema:
            text = json_text(schema["default"])
            return markdown_code(text if len(text) <= _MOST_TYPE else f"{text[:_MOST_TYPE]}…")
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
