"""Problems in the schemas of a manifest: errors in hand-written ones, warnings in foreign ones."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from jsonschema_rs import Draft202012Validator, Registry, ValidationError, Validator
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import SchemaPath, resolve
from toolfold_runtime.validation import (
    explained,
    has_known_dialect,
    registry_of,
    subschema_validator,
    validator_for,
)

from toolfold.manifest.hints import nearest
from toolfold.manifest.json_schema import (
    FOREIGN,
    KEYWORD_HINTS,
    KNOWN,
    TYPES,
    schema_hint,
    type_hint,
)
from toolfold.manifest.schema import Tool
from toolfold.plan.findings import Findings, Report
from toolfold.plan.schemas.formats import format_problems, unasserted_formats
from toolfold.plan.schemas.keywords import DEFINITIONS_PREFIX, walk
from toolfold.plan.schemas.problem import SchemaProblem
from toolfold.plan.schemas.required import required_problems
from toolfold.plan.schemas.served import LocatedSchema, references
from toolfold.plan.schemas.validation_cost import is_quick
from toolfold.plan.text.escape import json_text

# Codes of problems with which a schema can still be used, so that its values are checked too.
_USABLE: Final = frozenset({"enum", "format", "required"})


def check_definitions(definitions: Mapping[str, Json], findings: Findings) -> None:
    """Report every problem in the manifest's `$defs`."""
    schema: Json = {"$defs": dict(definitions)}
    located = LocatedSchema(schema, (), is_foreign=False, is_definitions=True, asserts_formats=True)
    _check(located, findings)


def check_schema(
    located: LocatedSchema, definitions: Mapping[str, Json], findings: Findings
) -> None:
    """Report every problem in one schema; `definitions` are the manifest's `$defs`."""
    if located.is_foreign:
        schema = _without_shared(located, definitions, findings)
        _check_foreign(replace(located, schema=schema), findings)
        return
    keywords = {key: value for key, value in located.schema.items() if key != "$defs"}
    _check(replace(located, schema={**keywords, "$defs": dict(definitions)}), findings)


def check_returns(name: str, tool: Tool, report: Report) -> None:
    """Report definitions of its own in a tool's `returns`; `check_schema` sees the manifest's."""
    if tool.returns is not None and "$defs" in tool.returns:
        problem = _definitions_inside(("tools", name, "returns"))
        report(problem.path, problem.fact, problem.hint, problem.code, of_key=problem.of_key)


def check_examples(name: str, tool: Tool, validator: Validator | None, report: Report) -> None:
    """Report examples whose arguments the schema of the tool refuses."""
    for index, example in enumerate(tool.examples if validator else ()):
        path = ("tools", name, "examples", index, "arguments")
        for error in validator.iter_errors(example.arguments) if validator else ():
            at = (*path, *error.instance_path)
            report(at, f"invalid example: {explained(error)}", _value_hint(error), "example")


def _check(located: LocatedSchema, findings: Findings) -> None:
    broken = False
    for problem in _structure(located):
        _report(located, problem, findings)
        broken = broken or problem.code not in _USABLE
    if not broken:
        _check_values(located, findings.reporter(located.severity))


def _without_shared(
    located: LocatedSchema, definitions: Mapping[str, Json], findings: Findings
) -> Json:
    """A foreign schema without the manifest's definitions, which are checked only once."""
    if not located.has_shared_definitions:
        return located.schema
    for path, reference in references({**located.schema, "$defs": {}}):
        name = reference.removeprefix(DEFINITIONS_PREFIX)
        if reference.startswith("#") and name not in definitions:
            hint = "declare it under the manifest's `$defs:`; the importer writes both"
            fact = f'unknown definition "{reference}"'
            findings.error(located.manifest_path(path), fact, hint, "reference")
    keywords = {key: value for key, value in located.schema.items() if key != "$defs"}
    return {key: _without_references(value) for key, value in keywords.items()}


def _without_references(schema: Any) -> Any:
    """A copy in which every reference accepts anything."""
    if isinstance(schema, list):
        return [_without_references(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_references(value)
        for key, value in schema.items()
        if key != "$ref" or not isinstance(value, str)
    }


def _check_foreign(located: LocatedSchema, findings: Findings) -> None:
    """Report problems in a foreign schema, by the rules of its own dialect."""
    report = findings.reporter(located.severity)
    for path, reference in references(located.schema):
        if reference.startswith("#"):
            continue
        fact = f'reference "{reference}" leaves the document'
        hint = "what it stands for is neither modelled nor validated"
        report(located.manifest_path(path), fact, hint, "reference")
    for path, inner in walk(located.schema):
        if isinstance(inner, dict):
            for problem in (*_keywords(path, inner, FOREIGN), *_empty_enum(path, inner)):
                _report(located, problem, findings)
            for problem in unasserted_formats(path, inner) if located.asserts_formats else ():
                _report(located, problem, findings)
    if not has_known_dialect(located.schema):
        fact = f"unknown dialect {located.schema['$schema']}"
        report(located.manifest_path(("$schema",)), fact, "read as 2020-12", "meta-schema")
    try:
        validator_for(located.schema)
    except ValidationError as error:
        at = tuple(error.instance_path)
        report(located.manifest_path(at), error.message, _meta_hint(at, error), "meta-schema")
        return
    _check_values(located, report)


def _report(located: LocatedSchema, problem: SchemaProblem, findings: Findings) -> None:
    path = located.manifest_path(problem.path)
    report = findings.reporter(problem.severity or located.severity)
    report(path, problem.fact, problem.hint, problem.code, of_key=problem.of_key)


def _structure(located: LocatedSchema) -> Iterator[SchemaProblem]:
    """Problems of a hand-written schema, without those of `$defs`."""
    schema = located.schema
    for error in _meta_schema().iter_errors(schema):
        path = tuple(error.instance_path)
        if located.has_own(path):
            yield SchemaProblem(
                path,
                _meta_fact(path, error),
                _meta_hint(path, error, schema.get("$defs", {})),
                "meta-schema",
            )
    for path, inner in walk(schema):
        if isinstance(inner, dict) and located.has_own(path):
            yield from _keywords(path, inner, KNOWN)
            yield from _empty_enum(path, inner)
            yield from _reference(path, inner, schema)
            yield from _patterns(path, inner)
            yield from format_problems(path, inner)
            yield from required_problems(path, inner, schema)


def _keywords(path: SchemaPath, schema: Json, known: frozenset[str]) -> Iterator[SchemaProblem]:
    if known is KNOWN and path and "$defs" in schema:
        yield _definitions_inside(path)
    for key in schema:
        if key not in known:
            hint = KEYWORD_HINTS.get(key)
            if hint is None and key in FOREIGN and known is not FOREIGN:
                hint = "it would name or reach other documents; schemas here are one document"
            hint = hint or nearest(key, sorted(known)) or "JSON Schema 2020-12 has no such keyword"
            yield SchemaProblem(
                (*path, key), f'unknown keyword "{key}"', hint, "keyword", of_key=True
            )


def _empty_enum(path: SchemaPath, schema: Json) -> Iterator[SchemaProblem]:
    if schema.get("enum") == []:
        # Valid JSON Schema, but llama-index drops the whole list for one.
        hint = "name the values or leave it out; some clients then refuse all tools of the list"
        fact = "an empty enum accepts no value"
        yield SchemaProblem((*path, "enum"), fact, hint, "enum", severity="warning")


def _definitions_inside(path: SchemaPath) -> SchemaProblem:
    hint = "declare it under the manifest's own `$defs:`"
    return SchemaProblem((*path, "$defs"), "definitions inside a schema", hint, "keyword", True)


def _reference(path: SchemaPath, schema: Json, root: Json) -> Iterator[SchemaProblem]:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return
    if not reference.startswith(DEFINITIONS_PREFIX):
        fact = f'reference "{reference}" is not to a definition of this manifest'
        hint = "declare it under the manifest's `$defs:` and refer to #/$defs/Name"
        name = reference.rpartition("/")[2]
        if name in root.get("$defs", {}):
            hint = f'write `$ref: "{DEFINITIONS_PREFIX}{name}"`'
        yield SchemaProblem((*path, "$ref"), fact, hint, "reference")
    elif resolve(root, reference) is None:
        names = [f"{DEFINITIONS_PREFIX}{name}" for name in root.get("$defs", {})]
        hint = nearest(reference, names) or "declare it under the manifest's `$defs:`"
        yield SchemaProblem((*path, "$ref"), f'unknown definition "{reference}"', hint, "reference")


def _patterns(path: SchemaPath, schema: Json) -> Iterator[SchemaProblem]:
    patterns = [((*path, "pattern"), schema.get("pattern"), False)]
    keyed = schema.get("patternProperties")
    if isinstance(keyed, dict):
        patterns += [((*path, "patternProperties", key), key, True) for key in keyed]
    for at, pattern, is_key in patterns:
        if isinstance(pattern, str) and not _compiles(pattern):
            fact = f"pattern {pattern!r} does not compile"
            yield SchemaProblem(at, fact, "patterns are ECMA-262 expressions", "pattern", is_key)


def _check_values(located: LocatedSchema, report: Report) -> None:
    """Report defaults and `examples` that the schema around them refuses."""
    if not is_quick(located.schema):
        return
    registry: Registry | None = None
    for path, inner in walk(located.schema):
        if not isinstance(inner, dict) or not located.has_own(path):
            continue
        values = list(_values(path, inner))
        if not values:
            continue
        registry = registry or registry_of(located.schema)
        validator = subschema_validator(registry, path, asserts_formats=located.asserts_formats)
        for at, keyword, value in values:
            for error in validator.iter_errors(value) if validator else ():
                fact = f"invalid {keyword}: {explained(error)}"
                report(located.manifest_path(at), fact, _value_hint(error), keyword)


def _values(path: SchemaPath, schema: Json) -> Iterator[tuple[SchemaPath, str, object]]:
    if "default" in schema:
        yield (*path, "default"), "default", schema["default"]
    if isinstance(schema.get("examples"), list):
        for index, value in enumerate(schema["examples"]):
            yield (*path, "examples", index), "example", value


def _value_hint(error: ValidationError) -> str:
    """A hint for a value that a schema refuses."""
    kind = error.kind.as_dict()
    unexpected = kind.get("unexpected")
    if unexpected and isinstance(error.instance, dict):
        return "remove it, or declare it as a parameter"
    return "change the value, or the schema that it breaks"


def _meta_fact(path: SchemaPath, error: ValidationError) -> str:
    if path[-1:] == ("type",):
        return f"unknown type {json_text(error.instance)}"
    if path[-1:] == ("required",) and isinstance(error.instance, str):
        return f"{json_text(error.instance)} is neither true nor a list of names"
    if error.kind.as_dict().get("types") == ["boolean", "object"]:
        key = next(step for step in reversed(path) if isinstance(step, str))
        is_list = isinstance(error.instance, list)
        return f"`{key}` takes a schema, found {'a list' if is_list else json_text(error.instance)}"
    return error.message


def _meta_hint(path: SchemaPath, error: ValidationError, definitions: Collection[str] = ()) -> str:
    if path[-1:] == ("$ref",) and error.instance is None:
        return "# begins a comment in YAML: write the reference in quotes"
    if path[-1:] == ("type",) and str(error.instance) in definitions:
        return f'write `$ref: "{DEFINITIONS_PREFIX}{error.instance}"` instead of `type`'
    if path[-1:] == ("required",):
        return "`required: true` belongs on a parameter itself; inside objects it is a list"
    if path[-1:] == ("type",):
        close = type_hint(error.instance) or nearest(str(error.instance), TYPES)
        return close or f"one of: {', '.join(TYPES)}"
    if path[-1:] == ("items",) and isinstance(error.instance, list):
        return "a schema for each position goes under `prefixItems`"
    return schema_hint(path, error.instance) or "JSON Schema 2020-12 says what each keyword takes"


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
