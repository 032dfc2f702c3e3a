"""How often a validator may check one value, which decides how long validation takes.

A definition that refers to another one twice has it checked twice, and so on below: thirty short
definitions can mean a thousand million checks of one value.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic_core import from_json, to_json
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import FEW_CHECKS
from toolfold_runtime.pointers import resolve
from toolfold_runtime.validation import ValidationError, Validator, validator_for

from toolfold.plan.schemas.keywords import subschemas

_MOST: Final = 1_000_000_000
_QUICK: Final = 10_000
#: Keywords whose subschemas apply to the same value as the schema that has them.
_IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}
)
_APART: Final = frozenset({"$defs", "definitions"})
_EVERY_KEY: Final = ""


def checks_per_value(schema: Json | None) -> int:
    """How many parts of a schema one value may be checked against; 0 where that is few."""
    return 0 if schema is None else _checks_per_value(to_json(schema))


# A tool's checks, examples and entry ask about the same schema, one after the other.
@lru_cache(maxsize=16)
def _checks_per_value(text: bytes) -> int:
    schema = from_json(text)
    try:
        count = _Checks(schema).of_value(schema)
    except RecursionError:
        return _MOST
    return count if count > FEW_CHECKS else 0


class DefinitionChecks:
    """Counts checks for many schemas that share definitions, which are analysed once.

    In the order of their names: where definitions go in circles, a count depends on where it began.
    """

    def __init__(self, definitions: Mapping[str, Json]) -> None:
        self._checks = _Checks({"$defs": dict(definitions)})
        self._is_too_deep = False
        try:
            for name in sorted(definitions):
                self._checks.of_value(definitions[name])
        except RecursionError:
            self._is_too_deep = True

    def per_value(self, schema: Json | None) -> int:
        """How many parts of a schema one value may be checked against; 0 where that is few."""
        if schema is None:
            return 0
        try:
            count = _MOST if self._is_too_deep else self._checks.of_value(schema)
        except RecursionError:
            return _MOST
        return count if count > FEW_CHECKS else 0


def is_quick(schema: Json) -> bool:
    """Whether a value such as an example is validated at once."""
    return checks_per_value(schema) <= _QUICK


def quick_validator(schema: Json, *, asserts_formats: bool = False) -> Validator | None:
    """A validator for values in a manifest; None if it cannot be made or would be slow."""
    try:
        validator = validator_for(schema, asserts_formats=asserts_formats)
    except (ValidationError, ValueError):
        return None
    return validator if is_quick(schema) else None


class _Checks:
    """Counts for the parts of one document; recursion counts once, as validators remember it."""

    def __init__(self, document: Json) -> None:
        self._document = document
        self._parts: dict[int, Json] = {}
        self._counts: dict[int, int] = {}
        self._together: dict[int, Counter[int]] = {}

    def of_value(self, schema: Any) -> int:
        """The most checks of a single value, at any depth of a value for `schema`."""
        if not isinstance(schema, dict):
            return 1
        if id(schema) not in self._counts:
            self._counts[id(schema)] = 1  # while it is counted
            together = self._checked_together(schema)
            below: Counter[str] = Counter()
            for part, times in together.items():
                for key, child in _children(self._parts[part]):
                    below[key] = min(_MOST, below[key] + times * self.of_value(child))
            of_all = below.pop(_EVERY_KEY, 0)
            deepest = max(below.values(), default=0) + of_all
            self._counts[id(schema)] = min(_MOST, max(together.total(), deepest))
        return self._counts[id(schema)]

    def _checked_together(self, schema: Json) -> Counter[int]:
        """The parts of the document that a value for this schema is checked against, and how often."""
        key = id(schema)
        if key not in self._together:
            self._parts[key] = schema
            self._together[key] = Counter()  # while it is counted
            together = Counter({key: 1})
            for part in self._in_place(schema):
                for inner, times in self._checked_together(part).items():
                    together[inner] = min(_MOST, together[inner] + times)
            self._together[key] = together
        return self._together[key]

    def _in_place(self, schema: Json) -> Iterator[Json]:
        for path, part in subschemas(schema):
            if path[0] in _IN_PLACE and isinstance(part, dict):
                yield part
        reference = schema.get("$ref")
        target = resolve(self._document, reference) if isinstance(reference, str) else None
        if isinstance(target, dict):
            yield target


def _children(schema: Json) -> Iterator[tuple[str, object]]:
    """The schemas for what is inside a value, by the property that they are for."""
    for path, part in subschemas(schema):
        if path[0] == "properties":
            yield str(path[1]), part
        elif path[0] not in _IN_PLACE and path[0] not in _APART:
            yield _EVERY_KEY, part
