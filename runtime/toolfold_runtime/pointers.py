"""JSON pointers: paths into a schema, and where references within a document lead."""

from collections.abc import Sequence
from typing import Any, TypeAlias
from urllib.parse import unquote

Step: TypeAlias = str | int
#: The path of a subschema in its document.
SchemaPath: TypeAlias = tuple[Step, ...]


def pointer(path: Sequence[Step]) -> str:
    """The JSON pointer of a path."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def reference_steps(reference: object) -> list[str] | None:
    """The steps of a reference within the document; None for anchors and other documents."""
    if reference == "#":
        return []
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    parts = unquote(reference[2:]).split("/")
    return [part.replace("~1", "/").replace("~0", "~") for part in parts]


def value_at(document: Any, path: Sequence[Step]) -> Any:
    """The part of the document at a path; None where it leads nowhere."""
    node = document
    for step in path:
        if not _has(node, step):
            return None
        node = node[step]
    return node


def target_path(document: Any, reference: object) -> SchemaPath | None:
    """The path of the schema that a reference within the document is to; None where there is none."""
    steps = reference_steps(reference)
    if steps is None:
        return None
    node, path = document, list[Step]()
    for key in steps:
        step = int(key) if isinstance(node, list) and key.isdecimal() else key
        if not _has(node, step):
            return None
        node = node[step]
        path.append(step)
    return tuple(path) if isinstance(node, dict | bool) else None


def resolve(document: Any, reference: object) -> dict[str, Any] | bool | None:
    """The schema that a reference within the document is to; None where there is none."""
    path = target_path(document, reference)
    schema: dict[str, Any] | bool | None = None if path is None else value_at(document, path)
    return schema


def _has(node: object, step: Step) -> bool:
    if isinstance(node, list):
        return isinstance(step, int) and step < len(node)
    return isinstance(node, dict) and step in node
