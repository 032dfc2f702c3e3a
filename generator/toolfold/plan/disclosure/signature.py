"""One-line signatures: what an agent needs to write a call, in as few tokens as possible."""

from functools import partial
from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import ContentKind
from toolfold_runtime.pointers import reference_steps, resolve

from toolfold.plan.disclosure.truncate import truncated
from toolfold.plan.schemas.keywords import DEFINITION_KEYWORDS, properties_of, required_of
from toolfold.plan.text.escape import json_text

_MAX_DEPTH: Final = 8  # references may go in circles
_ROOM: Final = 72  # characters for the parameters of a compact signature
_LONGEST: Final = 40  # of them for one
_MOST_LISTED: Final = 20  # parameters
_LONGEST_TYPE: Final = 160  # characters
_NAMES: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "object",
    "null": "null",
}
_CONTENT: Final[dict[ContentKind, str]] = {"mixed": "mixed content"}


def signature(
    name: str, parameters: Json, returns: Json | None, content: ContentKind | None = None
) -> str:
    """`name(query: str, limit: int = 20) -> list`; optional without default: `tag?: str`."""
    required = required_of(parameters)
    items = properties_of(parameters).items()
    parts = [_parameter(prop, schema, parameters, prop in required) for prop, schema in items]
    return f"{name}({', '.join(parts)}){_result(returns, content)}"


def compact_signature(
    name: str, parameters: Json, returns: Json | None, content: ContentKind | None = None
) -> str:
    """The signature within a line; what it leaves out is marked: `name(query: str, …) -> list`.

    Required parameters take precedence over optional ones.
    """
    properties = properties_of(parameters)
    named = required_of(parameters)
    required = [prop for prop in named if isinstance(prop, str) and prop in properties]
    fitting: dict[str, str] = {}
    room = _ROOM
    for prop in [*required, *(p for p in properties if p not in required)]:
        text = _parameter(prop, properties[prop], parameters, prop in required)
        text = text if len(text) <= _LONGEST else f"{prop}{'' if prop in required else '?'}: …"
        room -= len(text) + 2
        if room < 0:
            break
        fitting[prop] = text
    parts = [fitting[prop] for prop in properties if prop in fitting]
    parts += ["…"] if len(fitting) < len(properties) else []
    return f"{name}({', '.join(parts)}){_result(returns, content)}"


class ListedParameters(NamedTuple):
    """Parameters as a list of tools has them."""

    #: Name to type: `str (required)`, `int (optional)`.
    types: dict[str, str]
    #: The number of parameters that are left out.
    more: int


def listed_parameters(parameters: Json) -> ListedParameters:
    """The top-level parameters with their types; of many, the required ones first."""
    properties, required = properties_of(parameters), required_of(parameters)
    names = list(properties)
    if len(names) > _MOST_LISTED:
        names = sorted(names, key=lambda name: name not in required)[:_MOST_LISTED]
    types = {
        name: f"{truncated(type_name(properties[name], parameters), _LONGEST_TYPE)}"
        f" ({'required' if name in required else 'optional'})"
        for name in names
    }
    return ListedParameters(types, len(properties) - len(names))


def result_type_name(returns: Json | None, content: ContentKind | None) -> str:
    """The type of a result: `list`, `image`, `object + image`; empty if unknown."""
    parts = [type_name(returns, returns)] if returns is not None else []
    parts += [] if content is None else [_CONTENT.get(content, content)]
    return " + ".join(parts)


def type_name(schema: object, document: object, depth: int = 0, *, is_named: bool = False) -> str:
    """A schema's type in one word or a short union; `document` is where references lead.

    With `is_named`, a definition is called by its name: for views that show it beside.
    """
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return "any"
    inner = partial(type_name, document=document, depth=depth + 1, is_named=is_named)
    if isinstance(schema.get("$ref"), str):
        steps = reference_steps(schema["$ref"]) or []
        if is_named and len(steps) == 2 and steps[0] in DEFINITION_KEYWORDS:
            return steps[1]
        return inner(resolve(document, schema["$ref"]))
    if "enum" in schema and isinstance(schema["enum"], list) and len(schema["enum"]) <= 6:
        return "|".join(json_text(value) for value in schema["enum"])
    if "const" in schema:
        return json_text(schema["const"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return "|".join(_NAMES.get(str(k), "any") for k in kind) or "any"
    if kind == "array":
        item = inner(schema.get("items", {}))
        return "list" if item in ("any", "object") else f"list[{item}]"
    if isinstance(kind, str):
        return _NAMES.get(kind, "any")
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            names = [inner(option) for option in schema[key]]
            return "|".join(dict.fromkeys(names)) or "any"
    parts = schema.get("allOf")
    if isinstance(parts, list) and parts:
        return inner(parts[0])
    return "object" if "properties" in schema else "any"


def _result(returns: Json | None, content: ContentKind | None) -> str:
    name = result_type_name(returns, content)
    return f" -> {name}" if name else ""


def _parameter(name: str, schema: object, document: object, is_required: bool) -> str:
    kind = type_name(schema, document)
    if is_required:
        return f"{name}: {kind}"
    if isinstance(schema, dict) and "default" in schema:
        return f"{name}: {kind} = {json_text(schema['default'])}"
    return f"{name}?: {kind}"
