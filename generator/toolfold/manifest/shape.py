"""Validate plain data as a Manifest; each validation error becomes a problem with its place."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from toolfold.errors import ManifestError, Problem, Source
from toolfold.manifest.hints import nearest, required_hint, way_out
from toolfold.manifest.lookup import field_at, fields, model_at, section_of
from toolfold.manifest.schema import (
    ENTRY_SECTIONS,
    PATTERN_DESCRIPTIONS,
    Example,
    Manifest,
    MetaTool,
    Secret,
)
from toolfold.manifest.tree import ManifestPath, PlacedMapping, dotted, kind_of, place_of
from toolfold.manifest.types import ENV_PATTERN
from toolfold.manifest.upstream import SECRET_KEYS

_UNION_TAGS: Final = frozenset({"word", "mapping", "flag"})
_KINDS: Final = {
    "string_type": "a string",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "list_type": "a list",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
}
_HINTS: Final[dict[type[BaseModel] | None, str]] = {
    MetaTool: "`off`, or a mapping with name, category, summary, example",
    Secret: PATTERN_DESCRIPTIONS[ENV_PATTERN],
}


def shape(tree: PlacedMapping) -> tuple[Manifest, list[Problem]]:
    """The manifest in `tree` without its invalid entries, and the problems of those.

    The valid rest can be held to the other rules, so that one run reports every problem. Raises
    ManifestError where the rest is no manifest.
    """
    try:
        return Manifest.model_validate(tree, by_alias=True, by_name=False), []
    except ValidationError as error:
        details = error.errors(include_url=False)
    problems = list(_problems(tree, details))
    valid = _without(tree, [_path(tree, detail["loc"]) for detail in details])
    try:
        return Manifest.model_validate(valid, by_alias=True, by_name=False), problems
    except ValidationError:
        raise ManifestError(problems) from None


def _without(tree: PlacedMapping, paths: list[ManifestPath]) -> dict[str, Any]:
    """The tree less every entry that one of the paths leads into."""
    valid: dict[str, Any] = dict(tree)
    invalid: dict[str, set[str | int]] = {}
    for path in paths:
        if len(path) > 1 and path[0] in ENTRY_SECTIONS:
            invalid.setdefault(str(path[0]), set()).add(path[1])
    for key, names in invalid.items():
        entries = valid[key]
        if isinstance(entries, dict):
            valid[key] = {name: value for name, value in entries.items() if name not in names}
        elif isinstance(entries, list):
            valid[key] = [value for index, value in enumerate(entries) if index not in names]
    return valid


def _problems(tree: PlacedMapping, details: Sequence[ErrorDetails]) -> Iterator[Problem]:
    """One problem for each mistake, which may have broken several rules."""
    paths = [_path(tree, detail["loc"]) for detail in details]
    kinds = [detail["type"] for detail in details]
    missing = {path for path, kind in zip(paths, kinds, strict=True) if kind == "missing"}
    unknown = [path for path, kind in zip(paths, kinds, strict=True) if kind == "extra_forbidden"]
    misspelt = {meant for path in unknown if (meant := _misspelt_key(path, missing))}
    schemas: set[ManifestPath] = set()
    for path, detail in zip(paths, details, strict=True):
        schema_path = _whole_schema(tree, path)
        if schema_path is not None and schema_path not in schemas:
            fact = "a whole JSON Schema"
            hint = "name the parameters themselves, as in `parameters: {id: {type: string}}`"
            hint += "; a whole schema goes under `input_schema:`"
            yield Problem(
                place_of(tree, schema_path), dotted(schema_path), fact, hint, code="shape"
            )
            schemas.add(schema_path)
        elif schema_path is None and path not in misspelt:
            yield _problem(tree, detail)


def _misspelt_key(path: ManifestPath, missing: set[ManifestPath]) -> ManifestPath | None:
    """The missing required key that an unknown key most probably misspells."""
    keys = [key for key, _ in fields(model_at(path[:-1]))]
    close = get_close_matches(str(path[-1]), keys, n=1)
    meant = (*path[:-1], close[0]) if close else path
    return meant if meant in missing else None


def _whole_schema(tree: PlacedMapping, path: ManifestPath) -> ManifestPath | None:
    """The path of `parameters` written as a whole object schema, if `path` leads into one."""
    if len(path) < 4 or (path[0], path[2]) != ("tools", "parameters"):
        return None
    parameters = tree["tools"][path[1]]["parameters"]
    if not isinstance(parameters, dict) or parameters.get("type") != "object":
        return None
    return path[:3] if isinstance(parameters.get("properties"), dict) else None


def _problem(tree: PlacedMapping, detail: ErrorDetails) -> Problem:
    path = _path(tree, detail["loc"])
    kind = detail["type"]
    is_name = "[key]" in path
    is_about_key = kind in ("extra_forbidden", "missing") or is_name
    path = tuple(step for step in path if step != "[key]")
    if path[0:1] == ("tools",) and path[2:] == ("parameters", "required") and kind == "dict_type":
        fact = '"required" is not a parameter'
        names = [name for name in tree["tools"][path[1]]["parameters"] if name != "required"]
        hint = required_hint(detail["input"], names)
    else:
        fact, hint = _fact_and_hint(path, kind, detail)
    place = place_of(tree, path[:-1] if kind == "missing" else path, of_key=is_about_key)
    # Logs keep what is printed: neither a secret nor its line may be.
    if _is_secret(path) and isinstance(detail["input"], str) and not is_name:
        expected = _KINDS.get(kind)
        fact = f"expected {expected}, found a literal value" if expected else "a literal value"
    if path[:1] == ("servers",):
        place = place._replace(source=Source(place.source.name, "", place.source.order))
    return Problem(place, dotted(path), fact, hint, code="shape")


def _path(tree: PlacedMapping, location: Sequence[str | int]) -> ManifestPath:
    """The manifest's path for Pydantic's location, which also holds the tags of unions."""
    path: list[str | int] = []
    node: Any = tree
    for step in location:
        is_known = step in node if isinstance(node, dict) else isinstance(node, list)
        if not is_known and step in _UNION_TAGS:
            continue
        path.append(step)
        node = node[step] if is_known else None
    return tuple(path)


def _fact_and_hint(path: ManifestPath, kind: str, detail: ErrorDetails) -> tuple[str, str]:
    """A validation error as a message for the author, and the way out."""
    value = detail["input"]
    name = str(path[-1]) if path else "manifest"
    match kind:
        case "missing":
            return f'missing key "{name}"', _purpose(path)
        case "extra_forbidden":
            return f'unknown key "{name}"', _key_hint(path, name)
        case "literal_error" if path == ("toolfold",):
            fact = f"format {_shown(value)} is not known to this toolfold"
            return fact, "write `toolfold: 1`, or use a newer toolfold"
        case "literal_error":
            return _not_allowed(path, value, detail)
        case "string_type" if isinstance(value, int | float):
            return f"expected a string, found {_shown(value)}", "put it in quotes"
        case "string_too_long":
            most = detail.get("ctx", {}).get("max_length")
            return f"{_shown(value)} is too long", f"at most {most} characters"
        case "string_pattern_mismatch" | "string_too_short":
            return f"{_shown(value)} is not valid here", f"expected {_expected_text(detail)}"
        case "too_short":
            return "an empty list", "name at least one"
    return _wrong_type(path, kind, value, detail)


def _key_hint(path: ManifestPath, name: str) -> str:
    """A hint for an unknown key: the key it belongs below, the nearest name, or the allowed keys."""
    model = model_at(path[:-1])
    keys = [key for key, _ in fields(model)]
    section = section_of(model, name) if model else ""
    if section:
        return f"it belongs under `{section}:`"
    if model is Example and not nearest(name, keys):
        return "arguments belong under `arguments:`"
    if name in ("definitions", "defs") and "$defs" in keys:
        return 'did you mean "$defs"?'
    return nearest(name, keys) or f"keys here: {', '.join(keys)}"


def _not_allowed(path: ManifestPath, value: object, detail: ErrorDetails) -> tuple[str, str]:
    expected = str(detail.get("ctx", {}).get("expected", "")).replace(" or ", ", ")
    allowed = [part.strip(" '") for part in expected.split(",")]
    close = nearest(value, allowed) if isinstance(value, str) else ""
    listed = _HINTS.get(model_at(path), f"one of: {', '.join(allowed)}")
    return f"{_shown(value)} is not allowed here", close or listed


def _wrong_type(
    path: ManifestPath, kind: str, value: object, detail: ErrorDetails
) -> tuple[str, str]:
    expected = _KINDS.get(kind)
    if expected is None:
        message = detail["msg"]
        return f"{_shown(value)}: {message[0].lower()}{message[1:]}", ""
    hint = _HINTS.get(model_at(path)) or way_out(path, expected, value)
    return f"expected {expected}, found {_shown(value)}", hint


def _shown(value: object) -> str:
    """A value in a message: short, quoted where it is text."""
    if isinstance(value, dict | list):
        return kind_of(value)
    if isinstance(value, str):
        return '"' + (value if len(value) <= 60 else value[:57] + "...") + '"'
    if value is None or isinstance(value, bool):  # not by equality: 1 is no `true`
        return {None: "nothing", True: "true", False: "false"}[value]
    return repr(value)


def _is_secret(path: ManifestPath) -> bool:
    return path[:1] == ("servers",) and bool(SECRET_KEYS.intersection(map(str, path[2:3])))


def _expected_text(detail: ErrorDetails) -> str:
    pattern = str(detail.get("ctx", {}).get("pattern", ""))
    return PATTERN_DESCRIPTIONS.get(pattern, PATTERN_DESCRIPTIONS["text"])


def _purpose(path: ManifestPath) -> str:
    field = field_at(path)
    return field.description or "" if field else ""
