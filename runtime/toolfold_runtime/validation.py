"""JSON Schema validators: offline, formats checked on request, patterns not by Python's `re`."""

import base64
import binascii
import json
from collections.abc import Callable
from functools import cache
from typing import Any, Final
from urllib.parse import quote

import jsonschema_rs
from jsonschema_rs import (
    Draft202012Validator,
    ReferencingError,
    Registry,
    ValidationError,
    Validator,
)

from toolfold_runtime.pointers import SchemaPath, pointer

# Hierarchical, so that relative references have something to be relative to; never fetched.
_ADDRESS: Final = "https://toolfold.invalid/document"
# A pattern may backtrack this often before it counts as failed: hostile patterns end quickly.
_PATTERNS: Final = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)
_MOST: Final = 50
_DIALECTS: Final = (
    "json-schema.org/draft/2020-12/schema",
    "json-schema.org/draft/2019-09/schema",
    "json-schema.org/draft-07/schema",
    "json-schema.org/draft-06/schema",
    "json-schema.org/draft-04/schema",
)

# Formats that older dialects lack; a schema that names one means what 2020-12 means by it.
_LATER_FORMATS: Final = frozenset(
    {"duration", "uuid", "iri", "iri-reference", "idn-hostname", "uri-reference", "uri-template"}
    | {"json-pointer", "relative-json-pointer"}
)
#: A value of each format whose form is not obvious from its name.
FORMAT_SAMPLES: Final = {
    "date": "2025-01-31",
    "date-time": "2025-01-31T09:30:00Z",
    "time": "09:30:00Z",
    "duration": "P1DT2H",
    "uuid": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "uri": "https://example.com/a",
    "email": "ada@example.com",
    "json-pointer": "/a/0",
}

__all__ = [
    "FORMAT_SAMPLES",
    "ReferencingError",
    "Registry",
    "ValidationError",
    "Validator",
    "explained",
    "format_words",
    "has_known_dialect",
    "is_base64_text",
    "registry_of",
    "subschema_validator",
    "validator_for",
]


def validator_for(
    schema: dict[str, Any] | bool,
    registry: Registry | None = None,
    *,
    asserts_formats: bool = False,
) -> Validator:
    """A validator for `schema`, by the dialect its `$schema` names, else 2020-12.

    `asserts_formats` also refuses text that is not of its `format`, where the format is a known
    one, and text that `contentEncoding: base64` or `format: binary` declares and is not base64.
    Raises ValidationError where the schema itself cannot be used: it breaks its meta-schema, a
    pattern does not compile, or a reference leads nowhere. What a reference outside the document
    stands for is never fetched, and accepts anything.
    """
    make = jsonschema_rs.validator_for if has_known_dialect(schema) else Draft202012Validator
    return make(
        schema,
        retriever=_nothing,
        validate_formats=asserts_formats,
        formats=_formats(schema) if asserts_formats else None,
        keywords={"contentEncoding": _ContentEncoding} if asserts_formats else None,
        pattern_options=_PATTERNS,
        registry=registry,
    )


def registry_of(schema: dict[str, Any]) -> Registry | None:
    """A registry whose one document is `schema`, for `subschema_validator`; None where it cannot be."""
    try:
        return Registry([(_ADDRESS, schema)], retriever=_nothing)
    except (ReferencingError, ValueError):
        return None


def subschema_validator(
    registry: Registry | None,
    path: SchemaPath,
    *,
    dialect: dict[str, Any] | None = None,
    asserts_formats: bool = False,
) -> Validator | None:
    """A validator for the part at `path` of the registry's document; None where none can be made.

    `dialect` has the document's `$schema`, where it has one.
    """
    if registry is None:
        return None
    reference = f"{_ADDRESS}#{quote(pointer(path), safe='/~$')}"
    try:
        return validator_for(
            {**(dialect or {}), "$ref": reference}, registry, asserts_formats=asserts_formats
        )
    except (ValidationError, ReferencingError, ValueError):
        return None


def is_base64_text(text: str) -> bool:
    """Whether `text` is base64 as RFC 4648 section 4 writes it: padded, one text per value."""
    try:
        decoded = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return False
    # The decoder also takes surplus padding and stray bits in the last character.
    return base64.b64encode(decoded) == text.encode("ascii")


def explained(error: ValidationError) -> str:
    """The message of an error with all allowed values, which the validator's own message shortens."""
    kind = error.kind.as_dict()
    options, format_ = kind.get("options"), kind.get("format")
    if isinstance(format_, str):
        return f"{_shown(error.instance)} is not {format_words(format_)}"
    if not isinstance(options, list):
        return error.message
    allowed = ", ".join(json.dumps(option, ensure_ascii=False) for option in options[:_MOST])
    more = ", …" if len(options) > _MOST else ""
    return f"{_shown(error.instance)} is not one of {allowed}{more}"


def format_words(name: str) -> str:
    """The format in words, with an example if its form is not obvious."""
    if name == "binary":
        return "base64 with padding"
    article = "an" if name[0] in "ei" else "a"
    return (
        f"{article} {name} (like {FORMAT_SAMPLES[name]})"
        if name in FORMAT_SAMPLES
        else f"{article} {name}"
    )


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)[:100]


class _ContentEncoding:
    """The keyword `contentEncoding`, which 2020-12 only notes."""

    def __init__(self, parent: dict[str, Any], value: object, path: list[str | int]) -> None:
        self._is_base64 = value == "base64"

    def validate(self, instance: object) -> None:
        """Raise ValueError, the library's way to refuse, for text that is not base64."""
        if self._is_base64 and isinstance(instance, str) and not is_base64_text(instance):
            raise ValueError(f"{_shown(instance)} is not {format_words('binary')}")


def _formats(schema: dict[str, Any] | bool) -> dict[str, Callable[[str], bool]]:
    """The formats that the schema's dialect lacks."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    is_older = isinstance(named, str) and "/draft-0" in named
    later = {name: _by_2020(name) for name in _LATER_FORMATS} if is_older else {}
    return {"binary": is_base64_text, **later}


@cache
def _by_2020(name: str) -> Callable[[str], bool]:
    return Draft202012Validator({"format": name}, validate_formats=True).is_valid


def _nothing(_: str) -> dict[str, object]:
    return {}


def has_known_dialect(schema: object) -> bool:
    """Whether `$schema` is absent or one that we know; a dialect is never fetched."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(named, str):
        return True
    return named.partition("://")[2].rstrip("#") in _DIALECTS
