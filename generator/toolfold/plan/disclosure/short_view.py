"""A tool's schema shortened to a few hundred tokens, for answers that could not hold it whole.

Required parameters come before optional ones, types before explanations. What is left out is
named, and so is the call that shows it; a valid call is shown whatever else is left out.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import Format
from toolfold_runtime.pointers import resolve

from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.deprecation import marked, replacement_of
from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.schemas.smallest import example_arguments
from toolfold.plan.text.escape import json_text, one_line

_SENTENCE: Final = 160  # characters
_SENTENCE_TOKENS: Final = 45
_NAMED: Final = 3  # parameters that the note names
_LONGEST_NAME: Final = 40  # characters in the note
_NOTE: Final = 70  # tokens that are kept for the note
_CONSTRAINTS: Final = (
    *("default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems", "pattern", "format"),
)
_LONGEST_CONSTRAINT: Final = 60  # characters


class ShortSource(NamedTuple):
    """The inputs of a shortened view."""

    name: str
    tool: Tool
    parameters: Json
    example: Json | None
    format: Format
    #: The next step that the view ends with, where the tool is not listed.
    following: str
    #: The served name of the meta-tool for schemas; empty where it is switched off.
    schema_tool: str


def short_view(source: ShortSource, limit: int) -> str:
    """The view of at most `limit` tokens; as many parameters as fit beside a valid call."""
    room = limit - count(f'"next":{json_text(source.following)},')
    call = _call(source, room)
    shown: dict[str, Json] = {}
    remaining = room - count(_view(source, call, shown)) - _NOTE
    for name, rendered in _parts_to_show(source):
        cost = count(json_text({name: rendered})) + 1
        cost -= count(json_text({name: shown[name]})) if name in shown else 0
        if cost <= remaining:
            remaining -= cost
            shown[name] = rendered
    # What was added up is an estimate: tokens meet at the seams, and the note varies.
    while count(text := _view(source, call, shown)) > room and shown:
        shown.popitem()
    return text


def _call(source: ShortSource, room: int) -> Json | None:
    """The arguments of a valid call: the tool's example, the smallest where that is too long."""
    alone = room - count(_view(source, None, {})) - 10
    if source.example is None or count(json_text(source.example)) <= min(alone, room * 2 // 5):
        return source.example
    asserts = source.tool.asserts_input_formats
    smallest = example_arguments(source.parameters, (), asserts_formats=asserts)
    for arguments in (smallest, source.example):
        if arguments is not None and count(json_text(arguments)) <= alone:
            return arguments
    return None


def _parts_to_show(source: ShortSource) -> Iterator[tuple[str, Json]]:
    """Parts to show as long as they fit, the most important first."""
    required, optional = _by_need(source.parameters)
    for names in (required, optional):
        for name, schema in names.items():
            yield name, _type_only(schema, source.parameters)
        for name, schema in names.items():
            yield name, _type_and_text(schema, source.parameters)
    for name, schema in (required | optional).items():
        if inside := _inside(_target(schema, source.parameters), source.parameters):
            types = {
                inner_name: _type_only(inner, source.parameters)["type"]
                for inner_name, inner in inside.items()
            }
            yield name, _type_and_text(schema, source.parameters) | {"inside": types}


def _by_need(parameters: Json) -> tuple[Json, Json]:
    properties = properties_of(parameters)
    required = [name for name in required_of(parameters) if isinstance(name, str)]
    first = {name: properties.get(name, {}) for name in required}
    return first, {name: schema for name, schema in properties.items() if name not in first}


def _type_only(schema: object, document: Json) -> Json:
    kind = type_name(schema, document)
    return {"type": kind if len(kind) <= _SENTENCE else "any"}


def _type_and_text(schema: object, document: Json) -> Json:
    """The type with constraints and the first sentence of the description; inner properties by name."""
    shown, target = _type_only(schema, document), _target(schema, document)
    for key in _CONSTRAINTS:
        if key in target and len(json_text(target[key])) <= _LONGEST_CONSTRAINT:
            shown[key] = target[key]
    inner = ", ".join(map(one_line, _inside(target, document)))
    if inner:
        shown["inside"] = inner if len(inner) <= _SENTENCE else f"{inner[:_SENTENCE]}…"
    described = target.get("description")
    if isinstance(described, str) and described.strip():
        shown["description"] = _sentence(described)
    return shown


def _target(schema: object, document: Json) -> Json:
    """A schema with what it refers to; its own keywords win."""
    keywords = schema if isinstance(schema, dict) else {}
    target = resolve(document, keywords["$ref"]) if isinstance(keywords.get("$ref"), str) else None
    return {**target, **keywords} if isinstance(target, dict) else keywords


def _inside(schema: Json, document: Json) -> Json:
    """The properties of an object, or of the items of a list, whose schemas are left out."""
    items = schema.get("items")
    inner = _target(items, document) if isinstance(items, dict) else schema
    return properties_of(inner)


def _sentence(text: str) -> str:
    line = one_line(text)
    first = line.partition(". ")[0]
    text = first if len(first) <= _SENTENCE else f"{first[: _SENTENCE - 1]}…"
    while count(text) > _SENTENCE_TOKENS:  # scripts and signs that take several tokens each
        text = f"{text[: len(text) * 3 // 4]}…"
    return text


def _view(source: ShortSource, call: Json | None, shown: Mapping[str, Json]) -> str:
    tool = source.tool
    conditions: Json = {"scopes": tool.scopes} if tool.scopes else {}
    conditions |= {"confirm": tool.confirm} if tool.confirm else {}
    described = _sentence(marked(tool.summary, replacement_of(tool)))
    required, optional = _by_need(source.parameters)
    first = {name: entry for name, entry in shown.items() if name in required}
    others = {name: entry for name, entry in shown.items() if name in optional}
    note = _note(source, call, shown)
    if source.format == "json":
        head = {"name": source.name, "description": described, "category": tool.category}
        groups = {"required": first, "optional": others}
        called = {} if call is None else {"call": call}
        fields = {"effect": tool.shown_effect, **conditions, **groups, **called}
        return json_text({**head, **fields, "shortened": note})
    lines = [f"{source.name} [{tool.category}, {tool.shown_effect}]", described]
    lines += [f"{key}: {json_text(value)}" for key, value in conditions.items()]
    lines.append("parameters:")
    lines += [f"  {_line(name, entry)} (required)" for name, entry in first.items()]
    lines += [f"  {_line(name, entry)}" for name, entry in others.items()]
    lines += [] if call is None else [f"call: {json_text(call)}"]
    return "\n".join([*lines, f"shortened: {note}"])


def _line(name: str, shown: Json) -> str:
    rest = {key: value for key, value in shown.items() if key != "type"}
    return f"{one_line(name)}: {shown['type']}{' ' + json_text(rest) if rest else ''}"


def _note(source: ShortSource, call: Json | None, shown: Mapping[str, Json]) -> str:
    """The note on what the view leaves out, and how to get it."""
    parts = []
    for kind, names in zip(("required", "optional"), _by_need(source.parameters), strict=True):
        missing = [name for name in names if name not in shown]
        if missing:
            some = ", ".join(one_line(name)[:_LONGEST_NAME] for name in missing[:_NAMED])
            more = ", …" if len(missing) > _NAMED else ""
            parts.append(f"{len(missing)} {kind} parameters ({some}{more})")
    cut = [one_line(name)[:_LONGEST_NAME] for name, entry in shown.items() if "inside" in entry]
    more = ", …" if len(cut) > _NAMED else ""
    parts += [f"schemas inside {', '.join(cut[:_NAMED])}{more}"] if cut else []
    parts.append("descriptions in full and the result")
    parts += [] if call is not None else ["a valid call"]
    request = f'{source.schema_tool}("{source.name}", detail="full")'
    way_out = f"; {request} shows all" if source.schema_tool else ""
    return f"left out: {', '.join(parts)}{way_out}"
