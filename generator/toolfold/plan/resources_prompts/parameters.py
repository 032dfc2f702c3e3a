"""Parameters of tools as text, for arguments of prompts and variables of addresses."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import resolve

from toolfold.manifest.hints import nearest
from toolfold.manifest.schema import Tool
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.schemas.served import input_schema
from toolfold.plan.text.escape import json_text, one_line

_MAX_DEPTH: Final = 8  # references may go in circles
_MOST_VALUES: Final = 1_000
# What the runtime makes of a text, where a schema has one of these types and no other.
_SPELLED: Final = frozenset({"string", "integer", "number", "boolean"})


class ToolParameter(NamedTuple):
    """A parameter of a tool."""

    name: str
    description: str
    is_required: bool
    has_default: bool
    #: All its possible values, if they are few.
    values: tuple[str, ...]
    #: Whether any of its values can be given as text.
    takes_text: bool


def parameters_of(tool: Tool, definitions: Mapping[str, Json]) -> dict[str, ToolParameter]:
    """The parameters of a tool by name, in their order."""
    document = input_schema(tool, definitions)
    required = required_of(document)
    return {
        name: _parameter(name, _resolved(schema, document), name in required)
        for name, schema in properties_of(document).items()
    }


def text_problems(
    name: str, tool: str, parameters: dict[str, ToolParameter]
) -> Iterator[tuple[str, str]]:
    """Problems with passing a text as a parameter of a tool: each a fact and a way out."""
    if name not in parameters:
        known = ", ".join(parameters) or "none"
        hint = nearest(name, list(parameters)) or f"its parameters: {known}"
        yield f'"{tool}" has no parameter "{name}"', hint
    elif not parameters[name].takes_text:
        fact = f'"{name}" of "{tool}" cannot be given as text'
        yield fact, "only strings, numbers and booleans can"


def _parameter(name: str, schema: Json, is_required: bool) -> ToolParameter:
    description = schema.get("description")
    return ToolParameter(
        name=name,
        description=one_line(description) if isinstance(description, str) else "",
        is_required=is_required,
        has_default="default" in schema,
        values=_values(schema),
        takes_text=_takes_text(schema),
    )


def _resolved(schema: Any, document: Json) -> Json:
    """A schema with what it refers to; empty where it says nothing."""
    for _ in range(_MAX_DEPTH):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            break
        target = resolve(document, schema["$ref"])
        siblings = {key: value for key, value in schema.items() if key != "$ref"}
        schema = (target if isinstance(target, dict) else {}) | siblings
    return schema if isinstance(schema, dict) else {}


def _values(schema: Json) -> tuple[str, ...]:
    if schema.get("type") == "boolean":
        return ("true", "false")
    options = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(options, list):
        return ()
    texts = (value if isinstance(value, str) else json_text(value) for value in options)
    return tuple(texts)[:_MOST_VALUES]


def _takes_text(schema: Json) -> bool:
    kind = schema.get("type")
    kinds = set(kind) if isinstance(kind, list) else {kind}
    if kinds & _SPELLED:
        return True
    options = schema.get("anyOf") or schema.get("oneOf")
    if kind is None and isinstance(options, list):
        return any(isinstance(one, dict) and one.get("type") == "string" for one in options)
    # What says nothing of its type takes anything, but for numbers that are listed.
    listed = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return kind is None and all(isinstance(value, str) for value in listed)
