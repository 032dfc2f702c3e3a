"""JSON Schema validators as toolfold means them: offline, formats where asked for, no Python `re`."""

from typing import Any, Final

import jsonschema_rs
from jsonschema_rs import (
    Draft202012Validator,
    ReferencingError,
    Registry,
    ValidationError,
    Validator,
)

# A pattern may backtrack this often before it counts as failed: hostile patterns end quickly.
_PATTERNS: Final = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)
_DIALECTS: Final = (
    "json-schema.org/draft/2020-12/schema",
    "json-schema.org/draft/2019-09/schema",
    "json-schema.org/draft-07/schema",
    "json-schema.org/draft-06/schema",
    "json-schema.org/draft-04/schema",
)

__all__ = [
    "ReferencingError",
    "Registry",
    "ValidationError",
    "Validator",
    "format_words",
    "has_known_dialect",
    "registry_of",
    "validator_for",
]


def validator_for(
    schema: dict[str, Any] | bool,
    registry: Registry | None = None,
    *,
    asserts_formats: bool = False,
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
        validate_formats=asserts_formats,
        pattern_options=_PATTERNS,
        registry=registry,
    )


def registry_of(address: str, schema: dict[str, Any]) -> Registry:
    """A registry that has one document, so that a reference can lead to any part of it."""
    return Registry([(address, schema)], retriever=_nothing)


def format_words(name: str) -> str:
    """The format in words."""
    return f"{'an' if name[:1] in 'ei' else 'a'} {name}"


def _nothing(_: str) -> dict[str, object]:
    return {}


def has_known_dialect(schema: object) -> bool:
    """Whether `$schema` is absent or one that we know; a dialect is never fetched."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(named, str):
        return True
    return named.partition("://")[2].rstrip("#") in _DIALECTS
