"""Schemas as the model generator gets them: keywords that a Python type can express, nothing else.

Whatever is left out here is the validator's alone, which sees arguments before models do.
"""

from typing import Final

from toolfold_runtime.contract.codec import Json

#: Formats of strings that are types of their own in Python; the others are checked strings.
PYTHON_FORMATS: Final = frozenset({"date", "date-time", "time", "uuid", "binary"})
ANY: Final[Json] = {}
SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})
_NUMBER: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_LIMITS: Final[dict[str, tuple[str, ...]]] = {
    "string": ("minLength", "maxLength"),
    "integer": _NUMBER,
    "number": _NUMBER,
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


def limits(schema: Json, kind: str) -> Json:
    """The limits that a schema sets for values of a type."""
    given = {}
    for key in _LIMITS.get(kind, ()):
        value = schema.get(key)
        number = int | float if "imum" in key else int
        if isinstance(value, number) and not isinstance(value, bool):
            given[key] = value
    return given


def text_type(schema: Json, *, has_formats: bool) -> Json:
    """The type of a string: one of Python's own where formats are asserted and name one."""
    if has_formats and schema.get("contentEncoding") == "base64":
        return {"type": "string", "format": "binary"}
    if has_formats and schema.get("format") in PYTHON_FORMATS:
        # Limits of length are those of the text, which the value no longer is.
        return {"type": "string", "format": schema["format"]}
    return {"type": "string", **limits(schema, "string")}


def literal_values(schema: Json) -> list[object]:
    """The values of an enum or const that `Literal` can express exactly; else empty.

    A Literal has no floats, and takes 1 for True.
    """
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if not isinstance(values, list) or not values:
        return []
    kinds = {type(value) for value in values}
    if not kinds <= {str, int, bool, type(None)} or kinds == {type(None)} or {int, bool} <= kinds:
        return []
    return list(dict.fromkeys(values))


def union(options: list[Json]) -> Json:
    """The type that accepts what any of the options does."""
    unique: list[Json] = []
    for option in options:
        if option == ANY:
            return ANY
        for part in option.get("anyOf", [option]):
            if part not in unique:
                unique.append(part)
    if not unique:
        return ANY
    return unique[0] if len(unique) == 1 else {"anyOf": unique}
