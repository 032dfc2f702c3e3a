"""The smallest valid call of a tool, shown to agents where its author gave no example."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import resolve

from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.schemas.samples import sample_number, sample_text
from toolfold.plan.schemas.validation_cost import quick_validator
from toolfold.plan.text.escape import json_text

_MAX_DEPTH: Final = 12
_MAX_VALUES: Final = 200
_MAX_LENGTH: Final = 1_000
# How deep an example of a result has properties that are not required.
_FULL_DEPTH: Final = 3
# How many branches of alternatives are tried.
_MAX_BRANCHES: Final = 3
_COMBINING: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf", "$defs", "definitions"})


class _NoValueError(Exception):
    """No small value can be made for a schema."""


def example_arguments(
    schema: Json, examples: Iterable[Json], *, asserts_formats: bool = False
) -> Json | None:
    """The first example that the schema accepts and that is short enough, else the smallest call.

    The smallest call has required properties only, with the values that their `examples` and
    `default` name. Other text is the property's name in angle brackets, so that it is seen to be
    a placeholder, wherever such text is valid. None where no call is found.
    """
    validator = quick_validator(schema, asserts_formats=asserts_formats)
    for value in chain(examples, _candidates(schema)) if validator else ():
        if validator and validator.is_valid(value) and len(json_text(value)) <= _MAX_LENGTH:
            return value
    return None


def example_result(schema: Json) -> object | None:
    """A value that a schema accepts, with all its properties; None if none is found."""
    validator = quick_validator(schema, asserts_formats=False)
    for prefers_given in (True, False) if validator else ():
        maker = _Maker(schema, 0, prefers_given=prefers_given, is_full=True)
        try:
            value: object = maker.value(schema, "", 0)
        except (_NoValueError, ArithmeticError):
            continue
        if validator and validator.is_valid(value) and len(json_text(value)) <= _MAX_LENGTH:
            return value
    return None


def _candidates(schema: Json) -> Iterator[Json]:
    for branch in range(_MAX_BRANCHES):
        for prefers_given in (True, False):
            maker = _Maker(schema, branch, prefers_given=prefers_given)
            try:
                value = maker.value(schema, "", 0)
            except (_NoValueError, ArithmeticError):
                continue
            if isinstance(value, dict):
                yield value
            if not maker.has_choices:
                return


class _Maker:
    """Makes a value; `branch` is the number of the alternative to take."""

    def __init__(
        self, document: Json, branch: int, *, prefers_given: bool, is_full: bool = False
    ) -> None:
        #: Whether optional properties are made too, except deep inside.
        self._is_full = is_full
        self.has_choices = False
        self._document = document
        self._branch = branch
        self._prefers_given = prefers_given
        self._values = 0
        #: The references that lead to what is being made.
        self._open: list[object] = []

    def value(self, schema: object, name: str, depth: int) -> Any:
        """A value for a schema; `name` is the name of its property."""
        self._values += 1
        if schema is False or depth > _MAX_DEPTH or self._values > _MAX_VALUES:
            raise _NoValueError
        merged = self._merged(schema, depth)
        for given in self._listed_values(merged):
            return given
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        self._open.append(reference)
        try:
            return self._make(merged, name, depth)
        finally:
            self._open.pop()

    def _make(self, schema: Json, name: str, depth: int) -> Any:
        kind = _type_of(schema)
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, name, depth)
        if kind in ("integer", "number"):
            return sample_number(schema, kind)
        return (
            {"boolean": True, "null": None}[kind] if kind != "string" else sample_text(schema, name)
        )

    def _listed_values(self, schema: Json) -> Iterator[object]:
        """The values that the schema itself lists: constants, examples and the default."""
        if "const" in schema:
            yield schema["const"]
        examples = schema.get("examples")
        given = list(examples[:1]) if isinstance(examples, list) else []
        given += [schema["default"]] if schema.get("default") is not None else []
        if given:
            self.has_choices = True
            if self._prefers_given:
                yield given[0]
        if isinstance(schema.get("enum"), list):
            yield from schema["enum"][:1]

    def _merged(self, schema: object, depth: int) -> Json:
        """The schema with what it refers to, what `allOf` lists, and one of its alternatives."""
        if not isinstance(schema, dict):
            return {}
        if depth > _MAX_DEPTH:
            raise _NoValueError
        merged = {key: value for key, value in schema.items() if key not in _COMBINING}
        if isinstance(schema.get("$ref"), str):
            target = resolve(self._document, schema["$ref"])
            merged = _joined(self._merged(target, depth + 1), merged)
        parts = schema.get("allOf")
        for part in parts if isinstance(parts, list) else ():
            merged = _joined(merged, self._merged(part, depth + 1))
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            if isinstance(branches, list) and branches:
                merged = _joined(merged, self._merged(self._chosen(branches), depth + 1))
        return merged

    def _chosen(self, branches: list[Any]) -> object:
        self.has_choices = self.has_choices or len(branches) > 1
        real = [branch for branch in branches if branch != {"type": "null"}] or branches
        return real[min(self._branch, len(real) - 1)]

    def _object(self, schema: Json, depth: int) -> Json:
        properties = properties_of(schema)
        names = [name for name in required_of(schema) if isinstance(name, str)]
        if self._is_full and depth < _FULL_DEPTH:
            names += [name for name in properties if name not in names]
        least = int(schema.get("minProperties", 0))
        if len(names) < least:
            names += [name for name in properties if name not in names][: least - len(names)]
            missing = min(least - len(names), _MAX_VALUES)
            names += [f"name{number}" for number in range(1, missing + 1)]
        other = schema.get("additionalProperties", {})
        return {
            name: self.value(properties.get(name, other), name, depth + 1)
            for name in dict.fromkeys(names)
        }

    def _array(self, schema: Json, name: str, depth: int) -> list[Any]:
        prefix, items = schema.get("prefixItems"), schema.get("items", {})
        firsts = prefix if isinstance(prefix, list) else items if isinstance(items, list) else []
        least, most = int(schema.get("minItems", 0)), int(schema.get("maxItems", 1))
        if firsts:
            return [self.value(inner, name, depth + 1) for inner in firsts[: max(least, 1)]]
        # One item shows what items are like, though none is needed; not of what it is in itself.
        is_open = isinstance(items, dict) and items.get("$ref", "") in self._open
        number_of_items = max(least, 0 if is_open else min(1, most))
        try:
            items_made = [self.value(items, name, depth + 1) for _ in range(number_of_items)]
        except _NoValueError:
            if least:
                raise
            return []
        return _distinct(items_made) if schema.get("uniqueItems") is True else items_made


def _joined(first: Json, second: Json) -> Json:
    """Two schemas for one value merged roughly; the value made from it is validated later."""
    joined = {**first, **second}
    if "properties" in first and "properties" in second:
        joined["properties"] = {**properties_of(first), **properties_of(second)}
    if "required" in first and "required" in second:
        joined["required"] = [*required_of(first), *required_of(second)]
    return joined


def _type_of(schema: Json) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), "null")
    if kind in ("object", "array", "integer", "number", "boolean", "null", "string"):
        return str(kind)
    if "properties" in schema or "required" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    return "number" if {"minimum", "maximum"} & schema.keys() else "string"


def _distinct(values: list[Any]) -> list[Any]:
    """The values changed to be distinct, where that is easy."""
    distinct: list[Any] = []
    for number, value in enumerate(values):
        if number and isinstance(value, str):
            distinct.append(
                f"{value[:-1]}-{number + 1}>" if value.endswith(">") else f"{value}{number + 1}"
            )
        elif number and isinstance(value, int):
            distinct.append(not distinct[0] if isinstance(value, bool) else value + number)
        else:
            distinct.append(value)
    return distinct
