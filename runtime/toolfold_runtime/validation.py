"""JSON Schema validators as toolfold means them: offline, formats never assert, no Python `re`."""

from typing import Any, Final

import jsonschema_rs
from jsonschema_rs import ValidationError, Validator

# A pattern may backtrack this often before it counts as failed: hostile patterns end quickly.
_PATTERNS: Final = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)

__all__ = ["ValidationError", "Validator", "validator_for"]


def validator_for(schema: Any, registry: jsonschema_rs.Registry | None = None) -> Validator:
    """A validator for `schema`, by the dialect its `$schema` names, else 2020-12.

    Raises ValidationError where the schema itself cannot be used: it breaks its meta-schema, a
    pattern does not compile, or a reference leads nowhere or out of the document.
    """
    return jsonschema_rs.validator_for(
        schema,
        offline=True,
        validate_formats=False,
        pattern_options=_PATTERNS,
        registry=registry,
    )
