"""The property names that a schema knows, and the given names that it does not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from toolfold_runtime.pointers import SchemaPath
from toolfold_runtime.running.diagnosis.document import SchemaDocument

_MAX_PARTS: Final = 200
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SINGLE: Final = ("if", "then", "else")


@dataclass
class KnownProperties:
    """Names and patterns of properties; `is_open` where a part allows all others too."""

    names: dict[str, None] = field(default_factory=dict)
    patterns: dict[str, None] = field(default_factory=dict)
    is_open: bool = False


def known_properties(document: SchemaDocument, pointer: SchemaPath) -> KnownProperties:
    """The properties known to a schema and to all others that apply, or may apply, to the same value."""
    known = KnownProperties()
    for part in parts_of(document, pointer, (*_LISTS, *_SINGLE)):
        schema = document.at(part)
        for keyword, names in (("properties", known.names), ("patternProperties", known.patterns)):
            if isinstance(schema.get(keyword), dict):
                names |= dict.fromkeys(schema[keyword])
        is_beside = part != pointer and schema.get("unevaluatedProperties", False) is not False
        if is_beside or schema.get("additionalProperties", False) is not False:
            known.is_open = True
    return known


def extra_names(
    document: SchemaDocument, names: Iterable[str], patterns: Iterable[str], given: Iterable[str]
) -> Iterator[str]:
    """The given names that are none of the names and match none of the patterns."""
    declared, texts = set(names), list(patterns)
    for name in given:
        if name not in declared and not any(document.matches(pattern, name) for pattern in texts):
            yield name


def parts_of(
    document: SchemaDocument, pointer: SchemaPath, keywords: tuple[str, ...] = ("allOf",)
) -> Iterator[SchemaPath]:
    """A schema, what it refers to, and the subschemas for the same value under these keywords."""
    waiting, seen = [pointer], {pointer}
    while waiting and len(seen) < _MAX_PARTS:
        here = waiting.pop(0)
        schema = document.at(here)
        if not isinstance(schema, dict):
            continue
        yield here
        for inner in _inner(document, here, schema, keywords):
            if inner not in seen:
                seen.add(inner)
                waiting.append(inner)


def _inner(
    document: SchemaDocument, pointer: SchemaPath, schema: Any, keywords: tuple[str, ...]
) -> Iterator[SchemaPath]:
    target = document.target(schema.get("$ref"))
    if target is not None:
        yield target
    for keyword in keywords:
        value = schema.get(keyword)
        if isinstance(value, list):
            yield from ((*pointer, keyword, index) for index in range(len(value)))
        elif isinstance(value, dict):
            yield (*pointer, keyword)
