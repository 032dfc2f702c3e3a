"""Findings in the schemas of a manifest: errors in hand-written ones, warnings in foreign ones."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from jsonschema_rs import (
    Draft202012Validator,
    ReferencingError,
    Registry,
    ValidationError,
    Validator,
)
from toolfold_runtime.validation import has_known_dialect, validator_for

from toolfold.manifest.schema import Tool
from toolfold.manifest.shape import nearest
from toolfold.plan.findings import Report
from toolfold.plan.schemas.keywords import FOREIGN, KNOWN, TYPES, SchemaPath, resolve, walk
from toolfold.plan.schemas.served import Origin, references
from toolfold.plan.text.escape import json_text

# Hierarchical, so that relative references have something to be relative to; never fetched.
_DOCUMENT: Final = "https://toolfold.invalid/document"


class Finding(NamedTuple):
    """One finding, by its path into the schema."""

    path: SchemaPath
    fact: str
    hint: str
    code: str
    of_key: bool = False


def check_definitions(defs: Mapping[str, Any], report: Report) -> None:
    """Hold the shared `$defs` to what any hand-written schema is held to, once."""
    _check(Origin({"$defs": dict(defs)}, (), is_foreign=False), report)


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
            at = (*path, *error.instance_path)
            report(at, f"invalid example: {error.message}", _value_hint(error), "example")


def _check(origin: Origin, report: Report) -> None:
    broken = False
    for finding in _structure(origin):
        _report(origin, finding, report)
        broken = True
    if not broken:
        _check_values(origin, report)


def _check_foreign(origin: Origin, report: Report) -> None:
    """The same of a foreign schema, by its own dialect, as far as it can be read."""
    for path, reference in references(origin.schema):
        if reference.startswith("#"):
            continue
        fact = f'reference "{reference}" leaves the document'
        hint = "what it stands for is neither modelled nor validated"
        report(origin.manifest_path(path), fact, hint, "reference")
    for path, inner in walk(origin.schema):
        if isinstance(inner, dict):
            for finding in _keywords(path, inner, FOREIGN):
                _report(origin, finding, report)
    if not has_known_dialect(origin.schema):
        fact = f"unknown dialect {origin.schema['$schema']}"
        report(origin.manifest_path(("$schema",)), fact, "read as 2020-12", "meta-schema")
    try:
        validator_for(origin.schema)
    except ValidationError as error:
        at = tuple(error.instance_path)
        report(origin.manifest_path(at), error.message, _meta_hint(at, error), "meta-schema")
        return
    _check_values(origin, report)


def _report(origin: Origin, finding: Finding, report: Report) -> None:
    path = origin.manifest_path(finding.path)
    report(path, finding.fact, finding.hint, finding.code, of_key=finding.of_key)


def _structure(origin: Origin) -> Iterator[Finding]:
    """Meta-schema, keywords, references and patterns, of the schema's own part only."""
    schema = origin.schema
    is_own = origin.base == ()
    for error in _meta_schema().iter_errors(schema):
        path = tuple(error.instance_path)
        if is_own or path[:1] != ("$defs",):
            yield Finding(path, _meta_fact(path, error), _meta_hint(path, error), "meta-schema")
    for path, inner in walk(schema):
        if isinstance(inner, dict) and (is_own or path[:1] != ("$defs",)):
            yield from _keywords(path, inner, KNOWN)
            yield from _reference(path, inner, schema)
            yield from _patterns(path, inner)


def _keywords(path: SchemaPath, schema: dict[str, Any], known: frozenset[str]) -> Iterator[Finding]:
    if known is KNOWN and path and "$defs" in schema:
        hint = "declare it under the manifest's own `$defs:`"
        yield Finding((*path, "$defs"), "definitions inside a schema", hint, "keyword", True)
    for key in schema:
        if key not in known:
            hint = nearest(key, sorted(known)) or "JSON Schema 2020-12 has no such keyword"
            if key in FOREIGN and known is not FOREIGN:
                hint = "it would name or reach other documents; schemas here are one document"
            yield Finding((*path, key), f'unknown keyword "{key}"', hint, "keyword", of_key=True)


def _reference(path: SchemaPath, schema: dict[str, Any], root: Any) -> Iterator[Finding]:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return
    if not reference.startswith("#/$defs/"):
        fact = f'reference "{reference}" is not to a definition of this manifest'
        hint = "declare it under the manifest's `$defs:` and refer to #/$defs/Name"
        yield Finding((*path, "$ref"), fact, hint, "reference")
    elif resolve(root, reference) is None:
        names = [f"#/$defs/{name}" for name in root.get("$defs", {})]
        hint = nearest(reference, names) or "declare it under the manifest's `$defs:`"
        yield Finding((*path, "$ref"), f'unknown definition "{reference}"', hint, "reference")


def _patterns(path: SchemaPath, schema: dict[str, Any]) -> Iterator[Finding]:
    found = [((*path, "pattern"), schema.get("pattern"), False)]
    keyed = schema.get("patternProperties")
    if isinstance(keyed, dict):
        found += [((*path, "patternProperties", key), key, True) for key in keyed]
    for at, pattern, is_key in found:
        if isinstance(pattern, str) and not _compiles(pattern):
            fact = f"pattern {pattern!r} does not compile"
            yield Finding(at, fact, "patterns are ECMA-262 expressions", "pattern", is_key)


def _check_values(origin: Origin, report: Report) -> None:
    """Defaults and `examples` keywords against the very schema they stand in."""
    is_own = origin.base == ()
    registry: Registry | None = None
    for path, inner in walk(origin.schema):
        if not isinstance(inner, dict) or (
            path[:1] == ("$defs",) and not is_own and not origin.is_foreign
        ):
            continue
        values = list(_values(path, inner))
        if not values:
            continue
        # What lies outside the document is not fetched, and accepts anything.
        registry = registry or Registry([(_DOCUMENT, origin.schema)], retriever=lambda _: {})
        validator = _validator_at(registry, path)
        for at, what, value in values:
            for error in validator.iter_errors(value) if validator else ():
                fact = f"invalid {what}: {error.message}"
                report(origin.manifest_path(at), fact, _value_hint(error), what)


def _values(path: SchemaPath, schema: dict[str, Any]) -> Iterator[tuple[SchemaPath, str, Any]]:
    if "default" in schema:
        yield (*path, "default"), "default", schema["default"]
    if isinstance(schema.get("examples"), list):
        for index, value in enumerate(schema["examples"]):
            yield (*path, "examples", index), "example", value


def _validator_at(registry: Registry, path: SchemaPath) -> Validator | None:
    pointer = "".join("/" + str(s).replace("~", "~0").replace("/", "~1") for s in path)
    try:
        return validator_for({"$ref": f"{_DOCUMENT}#{quote(pointer, safe='/~$')}"}, registry)
    except (ValidationError, ReferencingError):
        return None


def _value_hint(error: ValidationError) -> str:
    """A way out where the error itself does not show one."""
    kind = error.kind.as_dict()
    unexpected = kind.get("unexpected")
    if unexpected and isinstance(error.instance, dict):
        return "remove it, or declare it as a parameter"
    return "change the value, or the schema that it breaks"


def _meta_fact(path: SchemaPath, error: ValidationError) -> str:
    if path[-1:] == ("type",):
        return f"unknown type {json_text(error.instance)}"
    return error.message


def _meta_hint(path: SchemaPath, error: ValidationError) -> str:
    if path[-1:] == ("required",):
        return "`required: true` belongs on a parameter itself; inside objects it is a list"
    if path[-1:] == ("type",):
        return nearest(str(error.instance), TYPES) or f"one of: {', '.join(TYPES)}"
    if path[-1:] == ("items",) and isinstance(error.instance, list):
        return "a schema for each position goes under `prefixItems`"
    if isinstance(error.instance, str) and path[-2:-1] == ("properties",):
        return "a schema is a mapping like {type: string}"
    return "JSON Schema 2020-12 says what each keyword takes"


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
