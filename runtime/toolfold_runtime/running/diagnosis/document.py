"""A schema as a document whose parts can be validated against on their own."""

from functools import cached_property
from typing import Any, Final
from urllib.parse import quote, unquote

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.running.diagnosis.faults import Path, Step
from toolfold_runtime.validation import (
    ReferencingError,
    Registry,
    ValidationError,
    Validator,
    has_known_dialect,
    registry_of,
    validator_for,
)

# Hierarchical, so that relative references have something to be relative to; never fetched.
_ADDRESS: Final = "https://toolfold.invalid/document"
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
        self._validators: dict[tuple[Path, str], Validator | None] = {}

    @cached_property
    def ignores_siblings(self) -> bool:
        """Whether nothing counts beside a `$ref`, as in older dialects."""
        dialect = str(self._dialect.get("$schema", ""))
        return any(name in dialect for name in _OLD_DIALECTS)

    def at(self, pointer: Path) -> Any:
        """The part of the document that a pointer leads to; None where it leads nowhere."""
        node: Any = self._schema
        for step in pointer:
            is_there = (
                step < len(node)
                if isinstance(node, list) and isinstance(step, int)
                else isinstance(node, dict) and step in node
            )
            if not is_there:
                return None
            node = node[step]
        return node

    def target(self, reference: object) -> Path | None:
        """Where a reference leads within the document; None for anchors and other documents."""
        if reference == "#":
            return ()
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return None
        pointer: list[Step] = []
        for part in unquote(reference[2:]).split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            is_index = isinstance(self.at(tuple(pointer)), list) and key.isdecimal()
            pointer.append(int(key) if is_index else key)
        return tuple(pointer) if isinstance(self.at(tuple(pointer)), dict | bool) else None

    def accepts(self, pointer: Path, value: object) -> bool:
        """Whether the subschema at a pointer accepts the value."""
        if (pointer, "") not in self._validators:
            text = "".join(f"/{_escaped(step)}" for step in pointer)
            made = self._made({"$ref": f"{_ADDRESS}#{quote(text, safe='/~$')}"})
            self._validators[pointer, ""] = made
        validator = self._validators[pointer, ""]
        return validator is None or validator.is_valid(value)

    def holds(self, pointer: Path, keyword: str, value: object) -> bool:
        """Whether one keyword without subschemas, at a pointer, accepts the value."""
        if (pointer, keyword) not in self._validators:
            schema = self.at(pointer)
            beside = _BESIDE.get(keyword, "")
            flat = {keyword: schema[keyword]}
            if isinstance(schema.get(beside), bool):
                flat[beside] = schema[beside]
            self._validators[pointer, keyword] = self._made(flat)
        validator = self._validators[pointer, keyword]
        return validator is None or validator.is_valid(value)

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern, which names properties, matches the text."""
        key = ((pattern,), "matches")
        if key not in self._validators:
            self._validators[key] = self._made({"pattern": pattern})
        validator = self._validators[key]
        return validator is None or validator.is_valid(text)

    @cached_property
    def _registry(self) -> Registry:
        return registry_of(_ADDRESS, self._schema)

    def _made(self, schema: Json) -> Validator | None:
        if len(self._validators) >= _MAX_VALIDATORS:
            self._validators.clear()
        whole = {**self._dialect, **schema}
        try:
            return validator_for(whole, self._registry, asserts_formats=self._asserts_formats)
        except (ValidationError, ReferencingError, ValueError):
            return None


def _without_dialect(schema: Json) -> Json:
    return {key: value for key, value in schema.items() if key != "$schema"}


def _escaped(step: Step) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")
