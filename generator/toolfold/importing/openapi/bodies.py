"""The body of a request as arguments: its properties, or all of it as one argument."""

from dataclasses import dataclass, field
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.http import FILE_SCHEMA

from toolfold.importing.openapi.schemas import Schemas
from toolfold.importing.openapi.texts import plain_text
from toolfold.importing.openapi.warnings import Warnings

_FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_JSON: Final = "application/json"
# What a schema may say besides properties where these become arguments of their own.
_OF_PLAIN_OBJECTS: Final = frozenset(
    {"type", "properties", "required", "description", "additionalProperties", "default"}
)
# What a part of `allOf` may say that has no properties of its own.
_OF_PARTS: Final = frozenset({"type", "required", "description"})
_COMBINED: Final = ("anyOf", "oneOf")
_STYLES: Final = frozenset({"form", "spaceDelimited", "pipeDelimited", "deepObject"})


@dataclass(frozen=True)
class Body:
    """A body: its media type, and the properties that it consists of, or its one schema."""

    media_type: str
    is_required: bool
    #: Property to schema, and the names of those that are required; None for a body that is whole.
    properties: dict[str, Json] | None = None
    required: tuple[str, ...] = ()
    #: What else holds for the properties together: `anyOf` of lists of required ones.
    rules: Json = field(default_factory=dict)
    schema: Json = field(default_factory=dict)
    is_base64: bool = False
    #: Property to how it is written, in the form of the manifest.
    parts: dict[str, Json] = field(default_factory=dict)


def body_of(given: Json, schemas: Schemas, warnings: Warnings, where: str) -> Body | None:
    """The body that an operation wants; None where it wants none."""
    content = given.get("content")
    content = content if isinstance(content, dict) else {}
    chosen = sorted(content, key=_rank)
    if not chosen:
        return None
    media_type = chosen[0]
    media = content[media_type] if isinstance(content[media_type], dict) else {}
    if not _is_media_type(media_type):
        warnings.add("bodies whose media type is none are sent as JSON", where)
        media_type = _JSON
    is_required = given.get("required") is True
    schema = media.get("schema", {})
    if _is_form(media_type):
        return _form(media_type, media, schema, schemas, is_required)
    if not _is_json(media_type):
        return _bytes_or_text(media_type, schema, is_required)
    converted = schemas.converted(schema, "request")
    flat = _flattened(schema, converted, schemas)
    if flat is None:
        return Body(media_type, is_required, schema=_described(converted, given))
    properties, required, rules = flat
    return Body(media_type, is_required, properties, required, rules)


def _rank(media_type: str) -> tuple[int, str]:
    """Which of several media types is sent: JSON before what is like it, forms, and all others."""
    base = media_type.split(";")[0].strip().lower()
    kinds = (
        base == _JSON,
        base.endswith("+json") and "patch" not in base,
        base.endswith("+json"),
        base == "*/*",
        base == _FORM,
        base == _MULTIPART,
        base.startswith("text/"),
        True,
    )
    return kinds.index(True), media_type


def _is_media_type(media_type: str) -> bool:
    base = media_type.split(";")[0].strip()
    is_short = len(media_type) <= 200 and media_type.isascii() and media_type.isprintable()
    return is_short and base.count("/") == 1 and not any(c in base for c in ' ",<>@()[]\\')


def _is_json(media_type: str) -> bool:
    base = media_type.split(";")[0].strip().lower()
    return base in (_JSON, "*/*") or base.endswith("+json")


def _is_form(media_type: str) -> bool:
    return media_type.split(";")[0].strip().lower() in (_FORM, _MULTIPART)


def _bytes_or_text(media_type: str, schema: Any, is_required: bool) -> Body:
    is_text = media_type.lower().startswith("text/") or media_type.lower().endswith("xml")
    described = plain_text(schema.get("description")) if isinstance(schema, dict) else ""
    description = described or ("Content" if is_text else "Content, as base64")
    converted: Json = {"type": "string", "description": description}
    converted |= {} if is_text else {"contentEncoding": "base64"}
    return Body(media_type, is_required, schema=converted, is_base64=not is_text)


def _described(schema: Json, given: Json) -> Json:
    """The schema of a whole body, described as the body is where it says nothing itself."""
    described = plain_text(given.get("description"))
    return {"description": described, **schema} if described else schema


def _form(
    media_type: str, media: Json, schema: Any, schemas: Schemas, is_required: bool
) -> Body | None:
    """A form: always several properties; one that has none is no body at all."""
    converted = schemas.converted(schema, "request")
    flat = _flattened(schema, converted, schemas)
    if flat is None:
        return Body(media_type, is_required, schema=converted) if converted else None
    properties, required, rules = flat
    if not properties:
        return None
    encodings = media.get("encoding")
    encodings = encodings if isinstance(encodings, dict) else {}
    originals = schemas.properties_of(schema)
    parts: dict[str, Json] = {}
    for name in properties:
        encoding = encodings.get(name)
        part = _part(encoding) if isinstance(encoding, dict) else {}
        if media_type.startswith(_MULTIPART) and _is_file(originals.get(name), schemas):
            part["file"] = True
            properties[name] = _file_schema(properties[name])
        if part:
            parts[name] = part
    return Body(media_type, is_required, properties, required, rules, parts=parts)


def _part(encoding: Json) -> Json:
    part: Json = {}
    kind = encoding.get("contentType")
    if isinstance(kind, str) and "," not in kind and "*" not in kind and _is_media_type(kind):
        part["type"] = kind
    if encoding.get("style") in _STYLES:
        part["style"] = encoding["style"]
    if isinstance(encoding.get("explode"), bool):
        part["explode"] = encoding["explode"]
    return part


def _is_file(schema: Any, schemas: Schemas) -> bool:
    """Whether a property is a file, or a list of files."""
    target = schemas.target_of(schema)
    if target.get("type") == "array":
        target = schemas.target_of(target.get("items"))
    is_binary = target.get("format") in ("binary", "base64", "byte") or "contentMediaType" in target
    return target.get("type") == "file" or (target.get("type", "string") == "string" and is_binary)


def _file_schema(converted: Json) -> Json:
    described = {k: converted[k] for k in ("description",) if k in converted}
    if converted.get("type") == "array":
        return {"type": "array", "items": FILE_SCHEMA, **described}
    return {**FILE_SCHEMA, **described}


def _flattened(
    schema: Any, converted: Json, schemas: Schemas
) -> tuple[dict[str, Json], tuple[str, ...], Json] | None:
    """Properties, required ones and rules of a plain object; None for any other body.

    Of `allOf`, the parts are put together, where all are plain objects.
    """
    target = schemas.target_of(schema)
    if "$ref" in converted or "anyOf" in converted:
        inner = schemas.converted(target, "request") if target else converted
    else:
        inner = converted
    flat = _plain_object(target, inner, schemas, 0)
    if flat is None:
        return None
    properties, required, rules = flat
    unwanted = schemas.unwanted_names(target, "request") - properties.keys()
    names = [name for name in required if name not in unwanted and len(name.splitlines()) == 1]
    either = [n for parts in rules.values() for part in parts for n in part.get("required", ())]
    # What is asked for and declared nowhere can be given all the same.
    known = properties.keys() | unwanted
    undeclared: dict[str, Json] = {name: {} for name in (*names, *either) if name not in known}
    return properties | undeclared, tuple(names), rules


def _plain_object(
    schema: Json, inner: Json, schemas: Schemas, depth: int
) -> tuple[dict[str, Json], tuple[str, ...], Json] | None:
    if inner.get("type", "object") != "object" or depth > 5:
        return None
    if depth and inner.keys() <= _OF_PARTS:
        return {}, tuple(inner.get("required", ())), {}
    if "properties" not in inner and "allOf" not in inner and inner.get("type") != "object":
        return None
    if inner.get("additionalProperties", False) is not False:
        return None
    rules = {key: inner[key] for key in _COMBINED if _are_rules(inner.get(key))}
    if inner.keys() - _OF_PLAIN_OBJECTS - rules.keys() - {"allOf"}:
        return None
    properties: dict[str, Json] = {}
    required: list[str] = []
    parts = schema.get("allOf")
    for part in parts if isinstance(parts, list) and "allOf" in inner else ():
        target = schemas.target_of(part)
        flat = _plain_object(target, schemas.converted(target, "request"), schemas, depth + 1)
        if flat is None or flat[2]:
            return None
        properties |= flat[0]
        required += flat[1]
    properties |= inner.get("properties", {})
    required += inner.get("required", ())
    if not properties and "properties" not in inner and "allOf" not in inner:
        return None  # any object
    if any(len(name.splitlines()) != 1 for name in properties):
        return None  # no manifest could say what such an argument is on the wire
    return properties, tuple(dict.fromkeys(required)), rules


def _are_rules(parts: Any) -> bool:
    """Whether the parts of `anyOf` or `oneOf` say nothing but which properties are required."""
    return isinstance(parts, list) and all(
        isinstance(part, dict) and part.keys() <= {"required", "description", "type"}
        for part in parts
    )
