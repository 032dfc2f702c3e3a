"""Names in `required` that are not declared as properties."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import SchemaPath, resolve, value_at

from toolfold.manifest.hints import nearest
from toolfold.plan.schemas.keywords import properties_of, required_of, subschemas
from toolfold.plan.schemas.problem import SchemaProblem

# Keywords whose schemas hold for the same value as the schema around them.
_IN_PLACE: Final = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not"})


def required_problems(path: SchemaPath, schema: Json, root: Json) -> Iterator[SchemaProblem]:
    """Problems with required properties that are not declared: errors if no others are allowed.

    A schema without `properties` says only that others declare them, which is a usual thing.
    """
    properties, others = schema.get("properties"), schema.get("additionalProperties", True)
    if (
        not isinstance(properties, dict)
        or "patternProperties" in schema
        or not isinstance(others, bool)
    ):
        return
    missing = [
        (index, name)
        for index, name in enumerate(required_of(schema))
        if isinstance(name, str) and name not in properties
    ]
    if not missing:
        return
    known = list(properties)
    if others:
        around = _declared_names(_outermost_schema(path, root), root, set())
        known = sorted(around | _declared_names(schema, root, set()))
    for index, name in missing:
        if name not in known:
            fact = f'required property "{name}" is not declared'
            hint = nearest(name, known) or "declare it under `properties:`"
            problem = SchemaProblem((*path, "required", index), fact, hint, "required")
            yield problem._replace(severity="warning") if others else problem


def _outermost_schema(path: SchemaPath, root: Json) -> object:
    """The outermost schema that applies to the same value as the one at `path`."""
    while path and (path[-1] in _IN_PLACE or _IN_PLACE.intersection(path[-2:-1])):
        path = path[:-1] if path[-1] in _IN_PLACE else path[:-2]
    return value_at(root, path)


def _declared_names(schema: object, root: Json, seen: set[int]) -> set[str]:
    """The properties declared by a schema and all others that apply to the same value."""
    if not isinstance(schema, dict) or id(schema) in seen:
        return set()
    seen.add(id(schema))
    names = set(properties_of(schema))
    for step, inner in subschemas(schema):
        if step[0] in _IN_PLACE or step[0] == "dependentSchemas":
            names |= _declared_names(inner, root, seen)
    if isinstance(schema.get("$ref"), str):
        names |= _declared_names(resolve(root, schema["$ref"]), root, seen)
    return names
