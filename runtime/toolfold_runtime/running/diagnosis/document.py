"""A schema as a document whose parts can be validated against on their own."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import SchemaPath, target_path, value_at
from toolfold_runtime.validation import (
    ReferencingError,
    Registry,
    ValidationError,
    Validator,
    has_known_dialect,
    registry_of,
    subschema_validator,
    validator_for,
)

_OLD_DIALECTS: Final = ("draft-04", "draft-06", "draft-07")
# Of older dialects: a truth value that changes what its neighbour means.
_BESIDE: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
_MAX_VALIDATORS: Final = 500


class SchemaDocument:
    """Answers whether a subschema, or one keyword of it, accepts a value.

    Validators are made when they are first needed. One that cannot be made accepts everything.
    """

    def __init__(self, schema: Json, *, asserts_formats: bool = False) -> None:
        self._schema = schema if has_known_dialect(schema) else _without_dialect(schema)
        self._asserts_formats = asserts_formats
        self._dialect = {key: value for key, value in self._schema.items() if key == "$schema"}
        self._validators: dict[tuple[SchemaPath, str], Validator | None] = {}

    @cached_property
    def ignores_siblings(self) -> bool:
        """Whether keywords beside a `$ref` are ignored, as in older dialects."""
        dialect = str(self._dialect.get("$schema", ""))
        return any(name in dialect for name in _OLD_DIALECTS)

    def at(self, pointer: SchemaPath) -> Any:
        """The part of the document that a pointer leads to; None where it leads nowhere."""
        return value_at(self._schema, pointer)

    def target(self, reference: object) -> SchemaPath | None:
        """The path of the schema that a reference within the document is to; None for others."""
        return target_path(self._schema, reference)

    def accepts(self, pointer: SchemaPath, value: object) -> bool:
        """Whether the subschema at a pointer accepts the value."""
        return self._is_valid((pointer, ""), partial(self._subschema, pointer), value)

    def holds(self, pointer: SchemaPath, keyword: str, value: object) -> bool:
        """Whether one keyword without subschemas, at a pointer, accepts the value."""
        return self._is_valid((pointer, keyword), partial(self._keyword, pointer, keyword), value)

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern, which names properties, matches the text."""
        make = partial(self._made, {"pattern": pattern})
        return self._is_valid(((pattern,), "matches"), make, text)

    def _is_valid(
        self,
        key: tuple[SchemaPath, str],
        make: Callable[[], Validator | None],
        value: object,
    ) -> bool:
        """Whether the validator of a key, which is made once, accepts a value; safe for threads."""
        if key in (validators := self._validators):
            validator = validators[key]
        else:
            if len(validators) >= _MAX_VALIDATORS:
                # A new one: other threads may be reading this one.
                validators = self._validators = {}
            validator = validators[key] = make()
        return validator is None or validator.is_valid(value)

    def _subschema(self, pointer: SchemaPath) -> Validator | None:
        return subschema_validator(
            self._registry, pointer, dialect=self._dialect, asserts_formats=self._asserts_formats
        )

    def _keyword(self, pointer: SchemaPath, keyword: str) -> Validator | None:
        schema = self.at(pointer)
        beside = _BESIDE.get(keyword, "")
        flat = {keyword: schema[keyword]}
        if isinstance(schema.get(beside), bool):
            flat[beside] = schema[beside]
        return self._made(flat)

    @cached_property
    def _registry(self) -> Registry | None:
        return registry_of(self._schema)

    def _made(self, schema: Json) -> Validator | None:
        complete = {**self._dialect, **schema}
        try:
            return validator_for(complete, self._registry, asserts_formats=self._asserts_formats)
        except (ValidationError, ReferencingError, ValueError):
            return None


def _without_dialect(schema: Json) -> Json:
    return {key: value for key, value in schema.items() if key != "$schema"}
