"""One-line signatures: what an agent needs to write a call, in as few tokens as possible."""

from typing import Any, Final

from toolfold.plan.schemas.keywords import resolve
from toolfold.plan.text.escape import json_text

_DEEPEST: Final = 8  # references may go in circles
_ROOM: Final = 72  # characters for the parameters of a compact signature
_LONGEST: Final = 40  # of them for one
_NAMES: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "object",
    "null": "null",
}


def signature(name: str, parameters: dict[str, Any], returns: dict[str, Any] | None) -> str:
    """`name(query: str, limit: int = 20) -> list`; optional without default: `tag?: str`."""
    properties = parameters.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = parameters.get("required")
    required = required if isinstance(required, list) else []
    shown = [_parameter(p, s, parameters, p in required) for p, s in properties.items()]
    result = f" -> {type_name(returns, returns)}" if returns is not None else ""
    return f"{name}({', '.join(shown)}){result}"


def compact_signature(name: str, parameters: dict[str, Any], returns: dict[str, Any] | None) -> str:
    """The signature within a line; what it leaves out is marked: `name(query: str, …) -> list`.

    Parameters that must be given are kept before those that may.
    """
    properties = parameters.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = parameters.get("required")
    required = [p for p in required if p in properties] if isinstance(required, list) else []
    kept: dict[str, str] = {}
    room = _ROOM
    for prop in [*required, *(p for p in properties if p not in required)]:
        shown = _parameter(prop, properties[prop], parameters, prop in required)
        shown = shown if len(shown) <= _LONGEST else f"{prop}{'' if prop in required else '?'}: …"
        room -= len(shown) + 2
        if room < 0:
            break
        kept[prop] = shown
    parts = [kept[prop] for prop in properties if prop in kept]
    parts += ["…"] if len(kept) < len(properties) else []
    result = f" -> {type_name(returns, returns)}" if returns is not None else ""
    return f"{name}({', '.join(parts)}){result}"


def type_name(schema: Any, document: Any, depth: int = 0) -> str:
    """A schema's type in one word or a short union; `document` is where references lead."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return "any"
    if isinstance(schema.get("$ref"), str):
        return type_name(resolve(document, schema["$ref"]), document, depth + 1)
    if "enum" in schema and isinstance(schema["enum"], list) and len(schema["enum"]) <= 6:
        return "|".join(json_text(value) for value in schema["enum"])
    if "const" in schema:
        return json_text(schema["const"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return "|".join(_NAMES.get(str(k), "any") for k in kind) or "any"
    if kind == "array":
        inner = type_name(schema.get("items", {}), document, depth + 1)
        return "list" if inner in ("any", "object") else f"list[{inner}]"
    if isinstance(kind, str):
        return _NAMES.get(kind, "any")
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            names = [type_name(option, document, depth + 1) for option in schema[key]]
            return "|".join(dict.fromkeys(names)) or "any"
    parts = schema.get("allOf")
    if isinstance(parts, list) and parts:
        return type_name(parts[0], document, depth + 1)
    return "object" if "properties" in schema else "any"


def _parameter(name: str, schema: Any, document: Any, is_required: bool) -> str:
    shown = type_name(schema, document)
    if is_required:
        return f"{name}: {shown}"
    if isinstance(schema, dict) and "default" in schema:
        return f"{name}: {shown} = {json_text(schema['default'])}"
    return f"{name}?: {shown}"
