"""Plain data to a Manifest; what does not fit becomes problems with places."""

import types
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from toolfold.errors import ManifestError, Problem
from toolfold.manifest.schema import Manifest
from toolfold.manifest.tree import Mapping, dotted, kind_of, place_of

Path = tuple[str | int, ...]

_UNION_TAGS: Final = frozenset({"word", "mapping"})
_FORMS: Final = {
    "ToolName": "letters, digits, _ and -, at most 64 of them",
    "line": "one line of text that is not empty",
    "implementation": "module.path:ClassName",
    "env": "${NAME} of an environment variable, or {plain: value} if it is no secret",
    "url": "an http, https or mailto address",
}


def shape(tree: Mapping) -> Manifest:
    """The manifest that `tree` spells, or a ManifestError with everything that does not fit."""
    try:
        return Manifest.model_validate(tree)
    except ValidationError as error:
        details = error.errors(include_url=False)
        raise ManifestError(_problem(tree, detail) for detail in details) from None


def nearest(name: str, names: Sequence[str]) -> str:
    """`did you mean "x"?`, or nothing when no name is close."""
    close = get_close_matches(name, names, n=1)
    return f'did you mean "{close[0]}"?' if close else ""


def _problem(tree: Mapping, detail: ErrorDetails) -> Problem:
    path = _path(tree, detail["loc"])
    kind = detail["type"]
    about_key = kind == "extra_forbidden" or path != tuple(s for s in path if s != "[key]")
    path = tuple(step for step in path if step != "[key]")
    fact, hint = _said(path, kind, detail)
    parent = path[:-1] if kind == "missing" else path
    place = place_of(tree, parent, of_key=about_key or kind == "missing")
    return Problem(place, dotted(path), fact, hint, code="shape")


def _path(tree: Mapping, location: Sequence[str | int]) -> Path:
    """Pydantic's location less the tags of unions, which are no steps into the manifest."""
    path: list[str | int] = []
    node: Any = tree
    for index, step in enumerate(location):
        known = step in node if isinstance(node, dict) else isinstance(step, int)
        if not known and step in _UNION_TAGS:
            continue
        path.append(step)
        if known and index < len(location):
            node = node[step]
    return tuple(path)


def _said(path: Path, kind: str, detail: ErrorDetails) -> tuple[str, str]:
    value = detail["input"]
    name = str(path[-1]) if path else "manifest"
    match kind:
        case "missing":
            return f'missing key "{name}"', _purpose(path)
        case "extra_forbidden":
            keys = _keys_at(path[:-1])
            return f'unknown key "{name}"', nearest(name, keys) or f"keys here: {', '.join(keys)}"
        case "literal_error":
            allowed = [part.strip(" '") for part in _expected(detail).split(",")]
            close = nearest(value, allowed) if isinstance(value, str) else ""
            return f"{_quoted(value)} is not allowed here", close or f"one of: {', '.join(allowed)}"
        case "string_type" if isinstance(value, int | float):
            return f"expected a string, found {kind_of(value)}", "put it in quotes"
        case "string_pattern_mismatch" | "string_too_long" | "string_too_short":
            return f"{_quoted(value)} is not valid here", f"expected {_form(path, detail)}"
    return _of_type(kind, value, detail)


def _of_type(kind: str, value: Any, detail: ErrorDetails) -> tuple[str, str]:
    wanted = {
        "string_type": "a string",
        "dict_type": "a mapping",
        "model_type": "a mapping",
        "list_type": "a list",
        "int_type": "a whole number",
        "float_type": "a number",
        "bool_type": "true or false",
    }.get(kind)
    if wanted:
        return f"expected {wanted}, found {kind_of(value)}", ""
    message = detail["msg"]
    return f"{_quoted(value)}: {message[0].lower()}{message[1:]}", ""


def _expected(detail: ErrorDetails) -> str:
    return str(detail.get("ctx", {}).get("expected", "")).replace(" or ", ", ")


def _quoted(value: Any) -> str:
    if isinstance(value, str):
        shown = value if len(value) <= 60 else value[:57] + "..."
        return '"' + shown.encode("unicode_escape").decode("ascii").replace('"', '\\"') + '"'
    return kind_of(value) if isinstance(value, dict | list) else repr(value)


def _form(path: Path, detail: ErrorDetails) -> str:
    name = path[-1] if path else ""
    if name in ("implementation", "url"):
        return _FORMS[str(name)]
    if len(path) > 1 and path[-2] in ("env", "headers"):
        return _FORMS["env"]
    pattern = str(detail.get("ctx", {}).get("pattern", ""))
    if pattern.startswith("^[A-Za-z0-9"):
        return _FORMS["ToolName"]
    return _FORMS["line"] if "\\r" in pattern or not pattern else f"text like {pattern}"


def _purpose(path: Path) -> str:
    model = _model_at(path[:-1])
    field = next((f for n, f in _fields(model) if n == path[-1]), None) if model else None
    return field.description or "" if field else ""


def _keys_at(path: Path) -> list[str]:
    model = _model_at(path)
    return [name for name, _ in _fields(model)] if model else []


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    for name, field in model.model_fields.items():
        yield field.alias or name, field


def _model_at(path: Path) -> type[BaseModel] | None:
    """The model that describes the mapping at `path`."""
    current: Any = Manifest
    for step in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            current = next((f.annotation for n, f in _fields(current) if n == step), None)
        else:
            current = get_args(current)[-1] if get_args(current) else None
        current = _unwrapped(current)
    return current if isinstance(current, type) and issubclass(current, BaseModel) else None


def _unwrapped(annotation: Any) -> Any:
    """An annotation without Annotated and None; of a union, its model."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif get_origin(annotation) in (Union, types.UnionType):
            parts = [_unwrapped(part) for part in get_args(annotation) if part is not type(None)]
            models = [p for p in parts if isinstance(p, type) and issubclass(p, BaseModel)]
            annotation = (models or parts)[0]
        else:
            return annotation
