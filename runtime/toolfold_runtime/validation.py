"""JSON Schema validators as toolfold means them: offline, formats never assert, no Python `re`."""

import json
from typing import Any, Final

import jsonschema_rs
from jsonschema_rs import Draft202012Validator, ValidationError, Validator

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

__all__ = ["ValidationError", "Validator", "explained", "has_known_dialect", "validator_for"]


def validator_for(
    schema: dict[str, Any] | bool, registry: jsonschema_rs.Registry | None = None
) -> Validator:
    """A validator for `schema`, by the dialect its `$schema` names, else 2020-12.

    Raises ValidationError where the schema itself cannot be used: it breaks its meta-schema, a
    pattern does not compile, or a reference leads nowhere. What a reference outside the document
    stands for is never fetched, and accepts anything.
    """
    make = jsonschema_rs.validator_for if has_known_dialect(schema) else Draft202012Validator
    return make(
        schema,
        retriever=_nothing,
        validate_formats=False,
        pattern_options=_PATTERNS,
        registry=registry,
    )


def explained(error: ValidationError) -> str:
    """What is wrong, whole: the validator's own message shortens lists of allowed values."""
    options = error.kind.as_dict().get("options")
    if not isinstance(options, list):
        return error.message
    allowed = ", ".join(json.dumps(option, ensure_ascii=False) for option in options[:_MOST])
    more = ", …" if len(options) > _MOST else ""
    return f"{json.dumps(error.instance, ensure_ascii=False)[:100]} is not one of {allowed}{more}"


def _nothing(_: str) -> dict[str, object]:
    return {}


def has_known_dialect(schema: object) -> bool:
    """Whether `$schema` is absent or one that we know; a dialect is never fetched."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(named, str):
        return True
    return named.partition("://")[2].rstrip("#") in _DIALECTS
