"""Reading schemas part by part: references followed, parts of `allOf` put together, paths by names."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import reference_steps

#: The definition of a name; None where there is none.
Definitions: TypeAlias = Callable[[str], Any]

_MOST_REFERENCES: Final = 50
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_LINK: Final = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,1000}\)")
_SENTENCE: Final = re.compile(r"[.!?](?=\s+[A-Z`\"'(*_])")


def reference_name(schema: Json) -> str | None:
    """The name of the definition that a schema refers to; None where it refers to none."""
    steps = reference_steps(schema.get("$ref")) or []
    return steps[1] if len(steps) == 2 and steps[0] == "$defs" else None


def target_of(schema: Any, definitions: Definitions) -> tuple[Json, tuple[str, ...]]:
    """What a schema says with what it refers to, its own keywords first; and the names on the way."""
    names: list[str] = []
    resolved = schema if isinstance(schema, dict) else {}
    while "$ref" in resolved and len(names) < _MOST_REFERENCES:
        name = reference_name(resolved)
        target = definitions(name) if name is not None else None
        rest = {key: value for key, value in resolved.items() if key != "$ref"}
        if name is None or name in names or not isinstance(target, dict):
            return rest, tuple(names)
        names.append(name)
        resolved = {**target, **rest}
    return resolved, tuple(names)


def merged(schema: Json, definitions: Definitions, seen: tuple[str, ...] = ()) -> Json:
    """A schema with the parts of its `allOf`: their properties together, else what comes first."""
    parts = schema.get("allOf")
    if not isinstance(parts, list):
        return schema
    whole = {key: value for key, value in schema.items() if key != "allOf"}
    for part in parts:
        resolved, names = target_of(part, definitions)
        if set(names) & set(seen):
            continue
        resolved = merged(resolved, definitions, (*seen, *names))
        properties = {**_mapping(resolved, "properties"), **_mapping(whole, "properties")}
        required = [
            *_names(whole),
            *(name for name in _names(resolved) if name not in _names(whole)),
        ]
        whole = {**resolved, **whole}
        whole |= {"properties": properties} if properties else {}
        whole |= {"required": required} if required else {}
    return whole


def at_path(schema: Any, path: str, definitions: Definitions) -> Any:
    """The part that a path of property names leads to, through lists and variants; None for none."""
    parts = list(_at_path(schema, path, definitions, 0))
    return parts[0] if parts else None


def _at_path(schema: Any, path: str, definitions: Definitions, depth: int) -> Iterator[Any]:
    if not path:
        yield schema
        return
    if depth > _MOST_REFERENCES:
        return
    resolved, _ = target_of(schema, definitions)
    resolved = merged(resolved, definitions)
    properties = _mapping(resolved, "properties")
    # A name may have dots in it: the longest one counts.
    for name in sorted(properties, key=len, reverse=True):
        if path == name or path.startswith(f"{name}."):
            rest = path[len(name) + 1 :]
            yield from _at_path(properties[name], rest, definitions, depth + 1)
    below = [resolved.get("items"), resolved.get("additionalProperties")]
    below += [part for key in ("anyOf", "oneOf") for part in resolved.get(key) or ()]
    for inner in below:
        if isinstance(inner, dict):
            yield from _at_path(inner, path, definitions, depth + 1)


def sentence(text: object, longest: int) -> str:
    """The first sentence of a text on one line, without HTML and links, cut to a length."""
    if not isinstance(text, str) or longest <= 0:
        return ""
    line = " ".join(_LINK.sub(r"\1", _TAG.sub(" ", text[: longest * 20])).split())
    end = _SENTENCE.search(line)
    first = line[: end.start()] if end else line.rstrip(".")
    if len(first) <= longest:
        return first
    return first[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _mapping(schema: Json, key: str) -> Json:
    value = schema.get(key)
    return value if isinstance(value, dict) else {}


def _names(schema: Json) -> list[Any]:
    required = schema.get("required")
    return required if isinstance(required, list) else []
