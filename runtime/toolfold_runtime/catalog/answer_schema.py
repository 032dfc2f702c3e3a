"""The schema of an answer with its shared definitions, which are read when needed."""

from collections.abc import Callable, Iterator
from typing import Any

from toolfold_runtime.contract.codec import Json, decode
from toolfold_runtime.contract.http import HttpDefinition
from toolfold_runtime.pointers import reference_steps


def with_definitions(schema: Json, line: Callable[[str], Json | None]) -> Json:
    """The schema with all definitions that it refers to; `line` reads a definition by its name."""
    definitions: Json = dict(schema.get("$defs", {}))
    waiting = list(_definitions_named(schema))
    while waiting:
        name = waiting.pop()
        if name in definitions or (data := line(name)) is None:
            continue
        definitions[name] = decode(HttpDefinition, data).schema
        waiting.extend(_definitions_named(definitions[name]))
    return schema | {"$defs": definitions} if definitions else schema


def _definitions_named(schema: Any) -> Iterator[str]:
    """The names of definitions that a schema refers to."""
    stack = [schema]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            steps = reference_steps(part.get("$ref")) or []
            if len(steps) > 1 and steps[0] == "$defs":
                yield steps[1]
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
