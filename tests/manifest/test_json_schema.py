"""`toolfold schema` for editors: it marks what the reader refuses, and says what every key is."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest
from pydantic import BaseModel
from toolfold.compile import plan_manifest
from toolfold.errors import ManifestError
from toolfold.manifest.json_schema import KNOWN
from toolfold.manifest.load import load_with_problems
from toolfold.manifest.read import read_yaml
from toolfold.manifest.schema import BUDGETS, Manifest
from toolfold.manifest.tree import plain
from toolfold.manifest.types import ManifestModel

from tests.support.commands import toolfold
from tests.support.projects import Json, small_manifest

GOLDEN: Final = Path(__file__).parents[1] / "golden"
#: The kinds of problems that an editor can mark: those of one value by itself.
MARKED: Final = {"shape", "keyword", "meta-schema", "pattern"}
DRAFT_07: Final = {
    *("$schema", "$comment", "$ref", "title", "description", "default", "examples", "definitions"),
    *("type", "enum", "const", "properties", "patternProperties", "additionalProperties"),
    *("propertyNames", "required", "items", "minItems", "uniqueItems", "anyOf", "oneOf", "allOf"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("minLength", "maxLength", "pattern", "format"),
}


def readable() -> dict[str, Any]:
    """Golden manifests that are YAML and stand alone, by case."""
    manifests = {}
    for path in sorted(GOLDEN.glob("*/tools.yaml")):
        try:
            tree = read_yaml(path.read_bytes(), "tools.yaml")
        except ManifestError:
            continue
        if "include" not in tree and "overlays" not in tree:
            manifests[path.parent.name] = plain(tree)
    return manifests


MANIFESTS: Final = readable()


@pytest.fixture(scope="module")
def printed() -> Any:
    done = toolfold(Path.cwd(), "schema")
    assert done.code == 0
    return json.loads(done.out)


@pytest.fixture(scope="module")
def editor(printed: Any) -> jsonschema_rs.Draft7Validator:
    return jsonschema_rs.Draft7Validator(printed)


def problems(case: str) -> set[str]:
    """The kinds of problems for which toolfold refuses a golden manifest."""
    try:
        plan_manifest(load_with_problems(GOLDEN / case / "tools.yaml"))
    except ManifestError as error:
        return {problem.code for problem in error.problems}
    return set()


# What is marked


@pytest.mark.parametrize("case", MANIFESTS)
def test_schema_and_reader_agree_on_shape(case: str, editor: jsonschema_rs.Draft7Validator) -> None:
    kinds = problems(case)

    if kinds & MARKED or not editor.is_valid(MANIFESTS[case]):
        assert kinds & (MARKED | {"reference", "format"}), kinds
        assert not editor.is_valid(MANIFESTS[case])


def test_nothing_is_marked_in_the_manifest_of_this_repository(
    editor: jsonschema_rs.Draft7Validator,
) -> None:
    manifest = plain(read_yaml((GOLDEN.parents[1] / "tools.yaml").read_bytes(), "tools.yaml"))

    assert [error.message for error in editor.iter_errors(manifest)] == []


def test_golden_cases_give_the_schema_both_kinds() -> None:
    verdicts = [not problems(case) & MARKED for case in MANIFESTS]

    assert verdicts.count(True) >= 30
    assert verdicts.count(False) >= 8


def with_tool(**fields: Any) -> Json:
    """A manifest whose one tool also has these fields."""
    manifest = small_manifest("find")
    manifest["tools"]["find"] |= fields
    return manifest


@pytest.mark.parametrize(
    "fields",
    [
        {"parameters": {"id": {"type": "string", "required": True}, "at": {"format": "date"}}},
        {"parameters": {"id": {"type": ["string", "null"], "default": None}}},
        {"parameters": {"a": {"type": "object", "properties": {"b": True}, "required": ["b"]}}},
        {"parameters": {"required": {"type": "boolean", "required": False}}},
        {"parameters": {"a": {"anyOf": [{"$ref": "#/$defs/A"}, {"not": {"const": 1}}]}}},
        {"returns": {"type": "array", "prefixItems": [{"type": "integer"}], "items": False}},
        {"input_schema": {"type": "object", "anything": {"goes": "here"}, "required": ["x"]}},
        {"output_schema": {"type": "int", "minumum": 1}},
        {"deprecated": True, "errors": {"not_found": "No such thing"}, "related": ["other::tool"]},
        {"deprecated": {"use": "other::tool", "reason": "Slow"}},
    ],
)
def test_what_toolfold_takes_is_not_marked(
    fields: Json, editor: jsonschema_rs.Draft7Validator
) -> None:
    assert [error.message for error in editor.iter_errors(with_tool(**fields))] == []


@pytest.mark.parametrize(
    "fields",
    [
        {"parameters": {"id": {"type": "int"}}},
        {"parameters": {"id": {"type": ["string", "none"]}}},
        {"parameters": {"id": {"type": "integer", "minumum": 1}}},
        {"parameters": {"id": {"type": "integer", "minimum": "1"}}},
        {"parameters": {"id": {"type": "string", "required": "yes"}}},
        {"parameters": {"id": {"type": "string"}, "required": ["id"]}},
        {"parameters": {"id": "string"}},
        {"parameters": {"id": {"type": "string", "format": "datetime"}}},
        {"parameters": {"id": {"type": "string", "$ref": "other.json"}}},
        {"parameters": {"id": {"type": "array", "items": [{"type": "string"}]}}},
        {"parameters": {"id": {"anyOf": {"type": "string"}}}},
        {"parameters": {"id": {"type": "object", "properties": {"a": {"type": "str"}}}}},
        {"returns": {"type": "object", "required": True}},
        {"returns": {"type": "array", "items": {"type": "objekt"}}},
        {"returns": {"type": "object", "$defs": {"A": {}}}},
        {"returns": "string"},
        {"returns": True},
        {"errors": ["not_found"]},
        {"errors": {"Not found": "No such thing"}},
        {"deprecated": "other"},
        {"cache": 30},
        {"timeout": "3s"},
    ],
)
def test_what_toolfold_refuses_is_marked(
    fields: Json, editor: jsonschema_rs.Draft7Validator
) -> None:
    assert not editor.is_valid(with_tool(**fields))
    assert editor.is_valid(with_tool())


def test_definitions_are_held_to_the_keywords_too(editor: jsonschema_rs.Draft7Validator) -> None:
    assert editor.is_valid(small_manifest("a") | {"$defs": {"A": {"type": "integer"}}})
    assert not editor.is_valid(small_manifest("a") | {"$defs": {"A": {"type": "int"}}})
    assert not editor.is_valid(small_manifest("a") | {"$defs": {"not a name": {}}})


# What it says of every key


def schemas(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every schema in a schema, with its path."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for key in ("properties", "patternProperties", "definitions"):
        for name, inner in schema.get(key, {}).items():
            yield from schemas(inner, f"{path}.{name}".removeprefix("."))
    for key in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(key, ()):
            yield from schemas(inner, path)
    for key in ("items", "additionalProperties", "propertyNames"):
        yield from schemas(schema.get(key), path)


def keys(printed: Any) -> Iterator[tuple[str, Any]]:
    """Every key that an author can write, and its schema."""
    for path, schema in schemas(printed):
        for name, inner in schema.get("properties", {}).items():
            where = f"{path}.{name}".removeprefix(".")
            if where != f"Parameter.{name}" or name == "required":  # the others are those of Schema
                yield where, inner


def test_every_key_has_a_description(printed: Any) -> None:
    described = dict(keys(printed))

    assert len(described) > 150
    assert [key for key, schema in described.items() if not schema.get("description")] == []
    assert [
        key for key, schema in described.items() if not schema["description"].endswith(".")
    ] == []


def test_a_parameter_may_say_what_a_schema_may_say(printed: Any) -> None:
    parts = printed["definitions"]

    assert set(parts["Schema"]["properties"]) == KNOWN - {"$defs"}
    assert set(parts["Parameter"]["properties"]) == KNOWN - {"$defs"}


def test_every_key_with_a_default_shows_it(printed: Any) -> None:
    shown = {
        f"{part.__name__}.{field.alias or name}": (property_schema.get("default"), field.default)
        for part in [*ManifestModel.__subclasses__()]
        for name, field in part.model_fields.items()
        for property_schema in [_part(printed, part)["properties"][field.alias or name]]
        if not field.is_required() and field.default is not None
    }

    assert len(shown) > 30
    assert {
        key: pair
        for key, pair in shown.items()
        if pair[0] != ({} if isinstance(pair[1], BaseModel) else pair[1])
    } == {}


def test_limits_that_the_runtime_sets_are_shown_as_defaults(printed: Any) -> None:
    parts = printed["definitions"]

    assert {
        k: v["default"] for k, v in parts["Budgets"]["properties"].items() if k != "result"
    } == BUDGETS
    assert parts["Execution"]["properties"]["timeout"]["default"] == 50
    assert parts["Execution"]["properties"]["concurrency"]["default"] == 64


def test_every_key_that_takes_more_than_one_word_has_an_example(printed: Any) -> None:
    bare = [
        key
        for key, schema in keys(printed)
        if not schema.get("examples")
        and not _is_plain(schema)
        and key.split(".")[-1] not in ("const", "default")
    ]

    assert bare == []


def test_every_example_is_valid(printed: Any) -> None:
    wrong = [
        (key, example, error.message)
        for key, schema in keys(printed)
        for example in schema.get("examples", ())
        for error in _validator(printed, schema).iter_errors(example)
    ]

    assert wrong == []


def _part(printed: Any, part: type[ManifestModel]) -> Any:
    return printed if part is Manifest else printed["definitions"][part.__name__]


def _validator(printed: Any, schema: Any) -> jsonschema_rs.Draft7Validator:
    return jsonschema_rs.Draft7Validator(schema | {"definitions": printed["definitions"]})


def _is_plain(schema: Any) -> bool:
    """Whether a value is one word, number or line, or nothing."""
    options = schema.get("anyOf", [schema])
    return all(
        option.get("type") in ("string", "integer", "number", "boolean", "null")
        or {"enum", "const"} & option.keys()
        for option in options
    )


# What editors can read


def test_schema_is_itself_draft_07(printed: Any) -> None:
    assert printed["$schema"] == "http://json-schema.org/draft-07/schema#"
    jsonschema_rs.meta.validate(printed)


def test_schema_uses_no_keyword_younger_than_draft_07(printed: Any) -> None:
    used = {keyword for _, schema in schemas(printed) for keyword in schema}

    assert used <= DRAFT_07


def test_nothing_stands_beside_a_reference_where_draft_07_would_ignore_it(printed: Any) -> None:
    assert [path for path, schema in schemas(printed) if "$ref" in schema and len(schema) > 1] == []


def test_schema_refers_only_to_its_own_definitions(printed: Any) -> None:
    references = {schema["$ref"] for _, schema in schemas(printed) if "$ref" in schema}

    assert references
    for reference in references:
        node = printed
        for step in reference.removeprefix("#/").split("/"):
            node = node[step]


def test_the_generated_file_and_the_command_say_the_same(printed: Any) -> None:
    generated = json.loads((GOLDEN.parents[1] / "generated/manifest.schema.json").read_bytes())

    assert generated | {"$comment": ""} == printed | {"$comment": ""}
