"""What the words of OpenAPI mean in JSON Schema 2020-12, one rule at a time."""

from typing import Any, Final

import jsonschema_rs
import pytest

from tests.importing.openapi.material import data_of, only, operation, warned, with_body
from tests.support.projects import Json

Rule = tuple[Any, Any]

#: What a property says in a document of 3.0, and what it says afterwards.
OF_3_0: Final[dict[str, Rule]] = {
    "nullable adds null to the type": (
        {"type": "string", "nullable": True},
        {"type": ["string", "null"]},
    ),
    "nullable adds null to the values": (
        {"type": "string", "enum": ["a"], "nullable": True},
        {"type": ["string", "null"], "enum": ["a", None]},
    ),
    "nullable beside values without a type": (
        {"enum": ["a"], "nullable": True},
        {"enum": ["a", None]},
    ),
    "nullable beside variants": (
        {"oneOf": [{"type": "string"}], "nullable": True},
        {"oneOf": [{"type": "string"}, {"type": "null"}]},
    ),
    "nullable beside a variant that may be null already": (
        {"oneOf": [{"type": "string", "nullable": True}], "nullable": True},
        {"oneOf": [{"type": ["string", "null"]}]},
    ),
    "nullable beside parts": (
        {"allOf": [{"type": "string"}], "nullable": True, "description": "What"},
        {"anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}], "description": "What"},
    ),
    "nullable beside a reference": (
        {"$ref": "#/components/schemas/A", "nullable": True},
        {"anyOf": [{"$ref": "#/$defs/shop_A"}, {"type": "null"}]},
    ),
    "a reference keeps nothing beside it but the description": (
        {"$ref": "#/components/schemas/A", "description": "Mine", "maxLength": 3},
        {"$ref": "#/$defs/shop_A", "description": "Mine"},
    ),
    "exclusive bounds are numbers": (
        {"type": "number", "minimum": 1, "exclusiveMinimum": True, "maximum": 5},
        {"type": "number", "exclusiveMinimum": 1, "maximum": 5},
    ),
    "an exclusive bound that is off says nothing": (
        {"type": "number", "minimum": 1, "exclusiveMinimum": False},
        {"type": "number", "minimum": 1},
    ),
    "a file is text": ({"type": "file"}, {"type": "string", "format": "binary"}),
    "what says nothing about values is left out": (
        {
            "type": "string",
            "title": "T",
            "example": "e",
            "xml": {"name": "x"},
            "externalDocs": {"url": "https://example.com"},
            "x-own": 1,
            "discriminator": {"propertyName": "k"},
        },
        {"type": "string"},
    ),
    "values and required names are there once": (
        {
            "type": "object",
            "required": ["a", "a"],
            "properties": {"a": {"enum": [1, 1, 2]}},
        },
        {"type": "object", "required": ["a"], "properties": {"a": {"enum": [1, 2]}}},
    ),
    "required as a truth value says nothing": (
        {"type": "object", "properties": {"a": {"type": "string", "required": True}}},
        {"type": "object", "properties": {"a": {"type": "string"}}},
    ),
    "what is only read is not sent": (
        {
            "type": "object",
            "required": ["id", "name"],
            "properties": {"id": {"type": "string", "readOnly": True}, "name": {}},
        },
        {"type": "object", "required": ["name"], "properties": {"name": {}}},
    ),
    "what is only read by what it refers to is not sent": (
        {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/Read"}}},
        {"type": "object", "properties": {}},
    ),
    "what is only read by a part of it is not sent": (
        {
            "type": "object",
            "properties": {"a": {"allOf": [{"$ref": "#/components/schemas/Read"}]}},
        },
        {"type": "object", "properties": {}},
    ),
    "what is only read is not required by another part": (
        {"allOf": [{"properties": {"id": {"readOnly": True}}}, {"required": ["id", "name"]}]},
        {"allOf": [{"properties": {}}, {"required": ["name"]}]},
    ),
    "words of other languages for types": ({"type": "int"}, {"type": "integer"}),
    "a type that nobody knows may be any": ({"type": "thing"}, {}),
    "lists of items are those of JSON Schema": (
        {"type": "array", "items": [{"type": "string"}]},
        {"type": "array", "prefixItems": [{"type": "string"}]},
    ),
    "patterns that cannot be compiled are left out": (
        {"type": "string", "pattern": "("},
        {"type": "string"},
    ),
    "patterns between slashes are read without them": (
        {"type": "string", "pattern": "/^[a-z]+$/"},
        {"type": "string", "pattern": "^[a-z]+$"},
    ),
    "patterns that ignore case are left out": (
        {"type": "string", "pattern": "/^[a-z]+$/i"},
        {"type": "string"},
    ),
    "values of numbers are numbers": (
        {"type": "number", "enum": ["1", "2.5", 3, "more"]},
        {"type": "number", "enum": [1, 2.5, 3, "more"]},
    ),
    "values that are meant for the items of a list are left out": (
        {"type": "array", "enum": ["a"], "items": {"type": "string", "enum": ["a"]}},
        {"type": "array", "items": {"type": "string", "enum": ["a"]}},
    ),
    "an object that refuses what its parts have is open": (
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["a"],
            "allOf": [{"properties": {"a": {}}}],
        },
        {"type": "object", "required": ["a"], "allOf": [{"properties": {"a": {}}}]},
    ),
    "an object that has what its parts have is closed": (
        {
            "type": "object",
            "properties": {"a": {}},
            "additionalProperties": False,
            "allOf": [{"properties": {"a": {}}}],
        },
        {
            "type": "object",
            "properties": {"a": {}},
            "additionalProperties": False,
            "allOf": [{"properties": {"a": {}}}],
        },
    ),
    "values of text are text": (
        {"type": "string", "enum": [1, True, "x"]},
        {"type": "string", "enum": ["1", "true", "x"]},
    ),
    "descriptions have no HTML": (
        {"type": "string", "description": "<p>One &amp; <b>two</b></p><p>Three</p>"},
        {"type": "string", "description": "One & two\n\nThree"},
    ),
    "a reference that leaves the document accepts anything": (
        {"$ref": "https://example.com/schema.json"},
        {},
    ),
    "a reference that leads nowhere accepts anything": ({"$ref": "#/components/none"}, {}),
    "what is no schema accepts anything": ("text", {}),
    "a property that is called like a reference": (
        {"type": "object", "properties": {"$ref": {"type": "string"}}},
        {"type": "object", "properties": {"$ref": {"type": "string"}}},
    ),
}
OF_3_1: Final[dict[str, Rule]] = {
    "nullable means nothing": ({"type": "string", "nullable": True}, {"type": "string"}),
    "types may be several": ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
    "a reference keeps what stands beside it": (
        {"$ref": "#/components/schemas/A", "maxLength": 3},
        {"maxLength": 3, "$ref": "#/$defs/shop_A"},
    ),
    "an anchor is found": ({"$ref": "#here"}, {"$ref": "#/$defs/shop_Anchored"}),
    "exclusive bounds are numbers already": (
        {"type": "number", "exclusiveMinimum": 1},
        {"type": "number", "exclusiveMinimum": 1},
    ),
    "what only 3.1 has is kept": (
        {"type": "array", "prefixItems": [True], "contains": {"const": 1}},
        {"type": "array", "prefixItems": [{}], "contains": {"const": 1}},
    ),
}
COMPONENTS: Final[Json] = {
    "schemas": {
        "A": {"type": "string"},
        "Anchored": {"$anchor": "here", "type": "integer"},
        "Read": {"type": "string", "readOnly": True},
    }
}


def _converted(schema: Any, version: str) -> Any:
    given = {"type": "object", "properties": {"it": schema}}
    entry = only(with_body(given, components=COMPONENTS, version=version))
    return entry["input_schema"]["properties"]["it"]


@pytest.mark.parametrize("rule", OF_3_0)
def test_schemas_of_3_0_mean_the_same_in_json_schema(rule: str) -> None:
    given, wanted = OF_3_0[rule]

    assert _converted(given, "3.0.3") == wanted


@pytest.mark.parametrize("rule", OF_3_1)
def test_schemas_of_3_1_stay_what_they_are(rule: str) -> None:
    given, wanted = OF_3_1[rule]

    assert _converted(given, "3.1.0") == wanted


def test_what_is_only_written_does_not_come_back() -> None:
    user = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "password": {"type": "string", "writeOnly": True},
        },
    }
    answer = {"description": "", "content": {"application/json": {"schema": _ref("User")}}}
    body = {"required": True, "content": {"application/json": {"schema": _list_of("User")}}}
    given = operation(
        requestBody=body, responses={"200": answer}, components={"schemas": {"User": user}}
    )

    definitions = data_of(given)["$defs"]

    assert list(definitions["shop_User"]["properties"]) == ["id"]
    assert list(definitions["shop_User_request"]["properties"]) == ["password"]


def test_a_schema_that_is_the_same_both_ways_is_there_once() -> None:
    answer = {"description": "", "content": {"application/json": {"schema": _ref("Item")}}}
    item = {"type": "object", "properties": {"next": _ref("Item")}}
    body = {"required": True, "content": {"application/json": {"schema": _list_of("Item")}}}
    given = operation(
        requestBody=body, responses={"200": answer}, components={"schemas": {"Item": item}}
    )

    assert data_of(given)["$defs"] == {
        "shop_Item": {"type": "object", "properties": {"next": {"$ref": "#/$defs/shop_Item"}}}
    }


def test_references_into_paths_are_followed() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    first = {
        "operationId": "first",
        "responses": {"200": {"content": {"application/json": {"schema": schema}}}},
    }
    pointer = "#/paths/~1a~1%7Bid%7D/get/responses/200/content/application~1json/schema"
    second = {
        "operationId": "second",
        "responses": {"200": {"content": {"application/json": {"schema": {"$ref": pointer}}}}},
    }
    given = {"openapi": "3.0.0", "paths": {"/a/{id}": {"get": first}, "/b": {"get": second}}}

    data = data_of(given)

    (definition,) = data["$defs"].values()
    assert definition == schema
    reference = data["tools"]["shop_second"]["backend"]["answer"]["schema"]["$ref"]
    assert reference.removeprefix("#/$defs/") in data["$defs"]


def test_references_that_lead_to_each_other_are_reported() -> None:
    components = {"schemas": {"A": _ref("B"), "B": _ref("A")}}
    given = with_body({"type": "object", "properties": {"a": _ref("A")}}, components=components)

    assert only(given)["input_schema"]["properties"]["a"] == {}
    assert "references that lead to nothing but each other: #/components/schemas/A" in warned(given)


def test_warnings_of_one_kind_are_one() -> None:
    properties = {f"p{number}": {"type": f"odd{number}"} for number in range(5)}

    facts = warned(with_body({"type": "object", "properties": properties}))

    first = "types that JSON Schema does not have are left out"
    assert facts == [f"{first}: 'odd0', 'odd1', 'odd2' and 2 more"]


def test_a_schema_that_is_nested_deeply_is_kept_whole() -> None:
    schema: Json = {"type": "integer"}
    for _ in range(150):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    data = data_of(with_body(schema))
    (entry,) = data["tools"].values()
    document = {**entry["input_schema"], "$defs": data["$defs"]}
    value: Any = "no integer"
    for _ in range(150):
        value = {"a": value}

    assert not jsonschema_rs.Draft202012Validator(document).is_valid(value)
    assert _depth(data) < 60


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _list_of(name: str) -> Json:
    return {"type": "array", "items": _ref(name)}


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0)
