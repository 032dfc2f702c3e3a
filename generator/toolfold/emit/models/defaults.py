"""Defaults as Python source: values of the field's own type, as an author would write them."""

import base64
import binascii
import datetime as dt
from collections.abc import Mapping
from uuid import UUID

from toolfold_runtime.contract.codec import Json

from toolfold.plan.text.escape import python_literal, python_value


def default_source(schema: Json, value: object, aliases: Mapping[str, Json | None]) -> str | None:
    """The source of a default value; None for a value that the type does not accept.

    `aliases` says what the alias of each name stands for; None for a class.
    """
    if not schema:
        return python_value(value)
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        alias = aliases.get(name)
        if alias is not None:
            return default_source(alias, value, aliases)
        is_object = isinstance(value, dict) and name in aliases
        return f"{name}.model_validate({python_value(value)})" if is_object else None
    if "anyOf" in schema:
        sources = [default_source(option, value, aliases) for option in schema["anyOf"]]
        usable = [source for source in sources if source is not None]
        # Which of two classes is meant, only a validator could tell.
        return usable[0] if usable and (not isinstance(value, dict) or len(usable) == 1) else None
    if "enum" in schema:
        return python_literal(value) if value in schema["enum"] else None
    if schema["type"] == "array":
        return _list(schema, value, aliases)
    if schema["type"] == "object":
        return _mapping(schema, value, aliases)
    return _scalar(schema, value)


def _list(schema: Json, value: object, aliases: Mapping[str, Json | None]) -> str | None:
    if not isinstance(value, list):
        return None
    positions = schema.get("prefixItems")
    if positions is not None and len(positions) != len(value):
        return None
    schemas = positions if positions is not None else [schema["items"]] * len(value)
    sources = [default_source(*pair, aliases) for pair in zip(schemas, value, strict=True)]
    texts = [source for source in sources if source is not None]
    if len(texts) != len(value):
        return None
    if positions is None:
        return f"[{', '.join(texts)}]"
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _mapping(schema: Json, value: object, aliases: Mapping[str, Json | None]) -> str | None:
    if not isinstance(value, dict):
        return None
    inner = schema["additionalProperties"]
    of_values = {} if inner is True else inner
    sources = {key: default_source(of_values, item, aliases) for key, item in value.items()}
    if None in sources.values():
        return None
    return f"{{{', '.join(f'{python_literal(key)}: {source}' for key, source in sources.items())}}}"


def _scalar(schema: Json, value: object) -> str | None:
    match schema["type"]:
        case "string":
            return _text(schema.get("format"), value) if isinstance(value, str) else None
        case "boolean":
            is_of = isinstance(value, bool)
        case "integer":
            is_of = isinstance(value, int) and not isinstance(value, bool)
        case "number":
            is_of = isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            is_of = value is None
    return python_literal(value) if is_of else None


def _text(form: object, value: str) -> str | None:
    """The source of a string, or of the Python value for its format; None for an invalid value."""
    try:
        match form:
            case "date":
                day = dt.date.fromisoformat(value)
                return f"dt.date({day.year}, {day.month}, {day.day})"
            case "date-time":
                moment = dt.datetime.fromisoformat(value)
                return f"dt.datetime.fromisoformat({moment.isoformat()!r})"
            case "time":
                return f"dt.time.fromisoformat({dt.time.fromisoformat(value).isoformat()!r})"
            case "uuid":
                return f"UUID({str(UUID(value))!r})"
            case "binary":
                return repr(base64.b64decode(value, validate=True))
    except (ValueError, binascii.Error):
        return None
    return python_literal(value)
