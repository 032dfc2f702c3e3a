"""One-line signatures: what an agent needs to write a call, in as few tokens as possible."""

from typing import Any, Final

from toolfold.plan.escape import json_text

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
    shown = [_parameter(p, s, p in required) for p, s in properties.items()]
    result = f" -> {type_name(returns)}" if returns is not None else ""
    return f"{name}({', '.join(shown)}){result}"


def type_name(schema: Any) -> str:
    """A schema's type in one word or a short union."""
    if not isinstance(schema, dict):
        return "any"
    if "enum" in schema and isinstance(schema["enum"], list) and len(schema["enum"]) <= 6:
        return "|".join(json_text(value) for value in schema["enum"])
    if "const" in schema:
        return json_text(schema["const"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return "|".join(_NAMES.get(str(k), "any") for k in kind) or "any"
    if kind == "array":
        inner = type_name(schema.get("items", {}))
        return "list" if inner in ("any", "object") else f"list[{inner}]"
    if isinstance(kind, str):
        return _NAMES.get(kind, "any")
    if isinstance(schema.get("$ref"), str):
        return "object"
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return "|".join(dict.fromkeys(type_name(option) for option in schema[key])) or "any"
    return "any"


def _parameter(name: str, schema: Any, is_required: bool) -> str:
    shown = type_name(schema)
    if is_required:
        return f"{name}: {shown}"
    if isinstance(schema, dict) and "default" in schema:
        return f"{name}: {shown} = {json_text(schema['default'])}"
    return f"{name}?: {shown}"
