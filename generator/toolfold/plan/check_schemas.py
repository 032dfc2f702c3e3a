"""Findings in the schemas of a manifest: errors in hand-written ones, warnings in foreign ones."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import quote

from jsonschema_rs import Draft202012Validator, Registry, ValidationError, Validator, meta
from toolfold_runtime.validation import validator_for

from toolfold.manifest.schema import Tool
from toolfold.manifest.shape import nearest
from toolfold.plan.keywords import KNOWN, SchemaPath, resolve, walk
from toolfold.plan.problems import Report
from toolfold.plan.schemas import Origin, references

_DOCUMENT: Final = "urn:toolfold:document"


def check_definitions(defs: Mapping[str, Any], report: Report) -> None:
    """Hold the shared `$defs` to what any hand-written schema is held to, once."""
    origin = Origin({"$defs": dict(defs)}, (), is_foreign=False)
    _check(origin, report)


def check_origin(origin: Origin, defs: Mapping[str, Any], report: Report) -> None:
    """Everything a schema on its own can get wrong."""
    if origin.is_foreign:
        _check_foreign(origin, report)
        return
    own = {key: value for key, value in origin.schema.items() if key != "$defs"}
    _check(Origin({**own, "$defs": dict(defs)}, origin.base, False, origin.is_parameters), report)


def check_examples(name: str, tool: Tool, validator: Validator | None, report: Report) -> None:
    """Every example's arguments against the schema that the server will hold calls to."""
    for index, example in enumerate(tool.examples if validator else ()):
        path = ("tools", name, "examples", index, "arguments")
        for error in validator.iter_errors(example.arguments) if validator else ():
            report((*path, *error.instance_path), f"invalid example: {error.message}", "")


def _check(origin: Origin, report: Report) -> None:
    broken = False
    for path, fact, hint in _structure(origin):
        report(origin.manifest_path(path), fact, hint)
        broken = True
    if not broken:
        _check_values(origin, report)


def _structure(origin: Origin) -> Iterator[tuple[SchemaPath, str, str]]:
    """Meta-schema, keywords, references and patterns, of the schema's own part only."""
    schema = origin.schema
    is_own = origin.base == ()
    for error in _meta_schema().iter_errors(schema):
        path = tuple(error.instance_path)
        if is_own or path[:1] != ("$defs",):
            yield path, error.message, _meta_hint(path)
    for path, inner in walk(schema):
        if isinstance(inner, dict) and (is_own or path[:1] != ("$defs",)):
            yield from _keywords(path, inner)
            yield from _reference(path, inner, schema)
            yield from _patterns(path, inner)


def _keywords(path: SchemaPath, schema: dict[str, Any]) -> Iterator[tuple[SchemaPath, str, str]]:
    for key in schema:
        if key not in KNOWN:
            hint = nearest(key, sorted(KNOWN)) or "only the keywords of JSON Schema 2020-12"
            yield (*path, key), f'unknown keyword "{key}"', hint


def _reference(path: SchemaPath, schema: dict[str, Any], root: Any) -> Iterator[Any]:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return
    if not reference.startswith("#/$defs/"):
        hint = "declare it under the manifest's `$defs:` and refer to #/$defs/Name"
        yield (*path, "$ref"), f'reference "{reference}" leaves the manifest', hint
    elif resolve(root, reference) is None:
        names = [f"#/$defs/{name}" for name in root.get("$defs", {})]
        hint = nearest(reference, names) or "declare it under the manifest's `$defs:`"
        yield (*path, "$ref"), f'unknown definition "{reference}"', hint


def _patterns(path: SchemaPath, schema: dict[str, Any]) -> Iterator[Any]:
    found = [((*path, "pattern"), schema.get("pattern"))]
    keyed = schema.get("patternProperties")
    if isinstance(keyed, dict):
        found += [((*path, "patternProperties", key), key) for key in keyed]
    for at, pattern in found:
        if isinstance(pattern, str) and not _compiles(pattern):
            yield at, f"pattern {pattern!r} does not compile", "patterns are ECMA-262 expressions"


def _check_values(origin: Origin, report: Report) -> None:
    """Defaults and `examples` keywords against the very schema they stand in."""
    is_own = origin.base == ()
    registry: Registry | None = None
    for path, inner in walk(origin.schema):
        if not isinstance(inner, dict) or (path[:1] == ("$defs",) and not is_own):
            continue
        values: list[tuple[SchemaPath, str, Any]] = []
        if "default" in inner:
            values.append(((*path, "default"), "default", inner["default"]))
        if isinstance(inner.get("examples"), list):
            examples = enumerate(inner["examples"])
            values += [((*path, "examples", i), "example", value) for i, value in examples]
        if not values:
            continue
        registry = registry or Registry([(_DOCUMENT, origin.schema)])
        validator = _validator_at(registry, path)
        for at, what, value in values:
            for error in validator.iter_errors(value) if validator else ():
                report(origin.manifest_path(at), f"invalid {what}: {error.message}", "")


def _check_foreign(origin: Origin, report: Report) -> None:
    """A foreign schema's first breach of its dialect, outside references and bad defaults."""
    for path, reference in references(origin.schema):
        if not reference.startswith("#"):
            report(origin.manifest_path(path), f'reference "{reference}" leaves the document', "")
    try:
        meta.validate(origin.schema)
        validator_for(origin.schema)
    except ValidationError as error:
        report(origin.manifest_path(tuple(error.instance_path)), error.message, "")
        return
    except ValueError as error:
        report(origin.manifest_path(()), str(error).split("\n")[0], "")
        return
    _check_values(origin, report)


def _validator_at(registry: Registry, path: SchemaPath) -> Validator | None:
    pointer = "".join("/" + str(s).replace("~", "~0").replace("/", "~1") for s in path)
    try:
        return validator_for({"$ref": f"{_DOCUMENT}#{quote(pointer, safe='/~$')}"}, registry)
    except ValidationError:
        return None


def _meta_hint(path: SchemaPath) -> str:
    if path[-1:] == ("required",):
        return "`required: true` belongs on a parameter itself; inside objects it is a list"
    return ""


@cache
def _meta_schema() -> Validator:
    return Draft202012Validator(
        {"$ref": "https://json-schema.org/draft/2020-12/schema"}, offline=True
    )


@cache
def _compiles(pattern: str) -> bool:
    try:
        validator_for({"pattern": pattern})
    except ValidationError:
        return False
    return True
