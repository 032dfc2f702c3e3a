"""Parameters and bodies become one flat object of arguments, and how each is sent is written down."""

from typing import Any, Final

import pytest
from toolfold.plan.schemas.smallest import example_arguments

from tests.importing.openapi.material import (
    ID,
    data_of,
    document,
    only,
    operation,
    warned,
    with_body,
)
from tests.support.projects import Json

TEXT: Final[Json] = {"type": "string"}


def parameter(name: str, place: str, **more: Any) -> Json:
    return {"name": name, "in": place, "schema": TEXT, **more}


def test_parameters_of_every_place_are_arguments() -> None:
    entry = only(
        document(
            {
                "/things/{id}": {
                    "parameters": [ID],
                    "get": {
                        "operationId": "find",
                        "parameters": [
                            parameter("filter[name]", "query", description="<b>By</b> name"),
                            parameter("X-Trace", "header", required=True),
                            parameter("mode", "cookie"),
                        ],
                    },
                }
            }
        )
    )

    assert entry["input_schema"] == {
        "type": "object",
        "properties": {
            "id": TEXT,
            "filter_name": {"type": "string", "description": "By name"},
            "X-Trace": TEXT,
            "mode": TEXT,
        },
        "required": ["id", "X-Trace"],
        "additionalProperties": False,
    }
    assert entry["backend"] == {
        "server": "shop",
        "operation": "GET /things/{id}",
        "request": {
            "parameters": {
                "filter_name": {"in": "query", "name": "filter[name]"},
                "X-Trace": {"in": "header"},
                "mode": {"in": "cookie"},
            }
        },
    }


def test_names_that_clash_get_a_suffix_and_keep_their_own_on_the_wire() -> None:
    body = {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"type": "object", "properties": {"id": TEXT}, "required": ["id"]}
            }
        },
    }
    path = {
        "post": {
            "operationId": "do",
            "parameters": [ID, parameter("id", "query")],
            "requestBody": body,
        }
    }
    entry = only(document({"/things/{id}": path}))

    assert list(entry["input_schema"]["properties"]) == ["id", "id_query", "id_body"]
    assert entry["input_schema"]["required"] == ["id", "id_body"]
    assert entry["backend"]["request"] == {
        "parameters": {"id_query": {"in": "query", "name": "id"}},
        "body": {"type": "application/json", "names": {"id_body": "id"}},
    }


def test_a_parameter_of_the_operation_takes_the_place_of_that_of_its_path() -> None:
    operation_parameter = {**ID, "schema": {"type": "integer"}}
    path = {"parameters": [ID], "get": {"operationId": "find", "parameters": [operation_parameter]}}

    properties = only(document({"/things/{id}": path}))["input_schema"]["properties"]

    assert properties == {"id": {"type": "integer"}}


def test_a_path_without_declared_parameters_gets_them() -> None:
    given = document({"/a/{x+}/b": {"get": {"operationId": "find"}}})
    entry = only(given)

    assert entry["backend"]["operation"] == "GET /a/{x}/b"
    assert entry["backend"]["request"]["parameters"] == {"x": {"in": "path", "name": "x+"}}
    assert warned(given) == ["parameters of the path that are not declared: GET /a/{x+}/b"]


STYLES: Final[dict[str, tuple[Json, Json]]] = {
    "the usual way": (parameter("a", "query", style="form", explode=True), {}),
    "lists in one": (
        parameter("a", "query", explode=False),
        {"a": {"in": "query", "explode": False}},
    ),
    "objects in depth": (
        parameter("a", "query", style="deepObject", explode=True),
        {"a": {"in": "query", "style": "deepObject"}},
    ),
    "as JSON": (
        {"name": "a", "in": "query", "content": {"application/json": {"schema": TEXT}}},
        {"a": {"in": "query", "content": "application/json"}},
    ),
    "signs as they are": (
        parameter("a", "query", allowReserved=True),
        {"a": {"in": "query", "reserved": True}},
    ),
    "in a style that the place does not have": (parameter("a", "query", style="matrix"), {}),
}


@pytest.mark.parametrize("case", STYLES)
def test_how_a_parameter_is_written_is_kept_where_it_is_not_the_usual_way(case: str) -> None:
    given, wanted = STYLES[case]
    backend = only(operation(parameters=[given]))["backend"]

    assert backend.get("request", {}).get("parameters", {}) == wanted


def test_headers_that_the_request_sets_itself_are_no_arguments() -> None:
    headers = [parameter(name, "header") for name in ("Accept", "Content-Type", "Authorization")]

    assert only(operation(parameters=headers))["input_schema"]["properties"] == {}


def test_a_credential_is_no_argument() -> None:
    key = parameter("api_key", "query", required=True)
    given = operation(parameters=[key, parameter("q", "query")])
    scheme = {"type": "apiKey", "name": "api_key", "in": "query"}
    given["components"] = {"securitySchemes": {"key": scheme}}

    assert list(only(given)["input_schema"]["properties"]) == ["q"]


WHOLE: Final[dict[str, Json]] = {
    "a list": {"type": "array", "items": TEXT},
    "variants": {"oneOf": [{"type": "object", "properties": {"a": TEXT}}, TEXT]},
    "a map": {"type": "object", "additionalProperties": TEXT},
    "any object": {"type": "object"},
    "text": TEXT,
    "an object with more than its properties": {
        "type": "object",
        "properties": {"a": TEXT},
        "additionalProperties": True,
        "patternProperties": {},
        "minProperties": 1,
    },
}


@pytest.mark.parametrize("case", WHOLE)
def test_a_body_that_is_no_plain_object_is_one_argument(case: str) -> None:
    entry = only(with_body(WHOLE[case]))

    assert list(entry["input_schema"]["properties"]) == ["body"]
    assert entry["input_schema"]["required"] == ["body"]
    assert entry["backend"]["request"]["body"]["argument"] == "body"


def test_parts_of_a_body_are_put_together() -> None:
    base = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
    schema = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"b": TEXT}}]}
    entry = only(with_body(schema, components={"schemas": {"Base": base}}))

    assert list(entry["input_schema"]["properties"]) == ["a", "b"]
    assert entry["input_schema"]["required"] == ["a"]


def test_a_part_that_only_requires_is_put_together_with_the_others() -> None:
    base = {"properties": {"id": {"readOnly": True}, "a": TEXT, "b": TEXT}}
    parts = [{"$ref": "#/components/schemas/Base"}, {"required": ["id", "a"]}]
    entry = only(with_body({"allOf": parts}, components={"schemas": {"Base": base}}))

    assert list(entry["input_schema"]["properties"]) == ["a", "b"]
    assert entry["input_schema"]["required"] == ["a"]


def test_what_is_sent_in_the_path_is_not_empty() -> None:
    items = {**ID, "name": "ids", "schema": {"type": "array", "items": TEXT}}
    parts = {**ID, "name": "parts", "schema": {"type": "object"}}
    get = {"operationId": "do", "parameters": [items, parts]}
    schema = only(document({"/{ids}/{parts}": {"get": get}}))["input_schema"]

    assert schema["properties"]["ids"]["minItems"] == 1
    assert schema["properties"]["parts"]["minProperties"] == 1
    assert example_arguments(schema, []) == {"ids": ["<ids>"], "parts": {"name1": "<name1>"}}


def test_what_is_required_and_not_declared_can_be_given() -> None:
    schema = {"properties": {"a": TEXT, "id": {"readOnly": True}}, "required": ["id", "a", "key"]}
    entry = only(with_body({"type": "object", **schema}))

    assert entry["input_schema"]["properties"] == {"a": TEXT, "key": {}}
    assert entry["input_schema"]["required"] == ["a", "key"]


def test_names_lose_their_accents() -> None:
    query = {"name": "größe", "in": "query", "schema": TEXT}
    given = document({"/a": {"get": {"operationId": "menüLesen", "parameters": [query]}}})
    ((name, entry),) = data_of(given)["tools"].items()

    assert name == "shop_menu_lesen"
    assert list(entry["input_schema"]["properties"]) == ["grosse"]
    assert entry["backend"]["request"]["parameters"]["grosse"]["name"] == "größe"


def test_tags_in_other_letters_are_categories_of_their_own() -> None:
    paths = {f"/{tag}": {"get": {"tags": [tag]}} for tag in ("訂單 API", "商品 API", "Menü")}
    categories = data_of(document(paths))["categories"]

    assert [category["title"] for category in categories.values()] == [
        "shop: 訂單 API",
        "shop: 商品 API",
        "shop: Menü",
    ]
    assert list(categories)[2] == "shop-menu"


def test_a_path_has_the_operations_that_it_refers_to_and_its_own() -> None:
    item = {"$ref": "#/components/pathItems/Thing", "put": {"operationId": "set"}}
    shared = {"pathItems": {"Thing": {"get": {"operationId": "get"}}}}
    tools = data_of(document({"/a": item}, "3.1.0", components=shared))["tools"]

    assert list(tools) == ["shop_get", "shop_set"]


def test_the_query_method_reads_and_has_a_body() -> None:
    body = {"content": {"application/json": {"schema": {"properties": {"a": TEXT}}}}}
    entry = only(document({"/a": {"query": {"requestBody": body}}}, "3.2.0"))

    assert entry["effect"] == "read"
    assert entry["backend"]["operation"] == "QUERY /a"
    assert list(entry["input_schema"]["properties"]) == ["a"]


def test_a_body_of_swagger_2_takes_the_place_of_that_of_its_path() -> None:
    bodies = [
        {"in": "body", "name": name, "schema": {"properties": {name: TEXT}}} for name in ("a", "b")
    ]
    item = {"parameters": bodies[:1], "post": {"parameters": bodies[1:]}}

    assert list(only(document({"/a": item}, "2.0"))["input_schema"]["properties"]) == ["b"]


def test_a_body_that_may_be_left_out_is_whole_where_some_of_it_is_given() -> None:
    schema = {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["a"]}
    body = {"content": {"application/json": {"schema": schema}}}

    entry = only(operation(requestBody=body))

    assert "required" not in entry["input_schema"]
    assert entry["input_schema"]["dependentRequired"] == {"b": ["a"]}


def test_rules_about_several_properties_are_kept() -> None:
    schema = {
        "type": "object",
        "properties": {"a": TEXT, "b": TEXT},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }

    input_schema = only(with_body(schema))["input_schema"]

    assert input_schema["anyOf"] == [{"required": ["a"]}, {"required": ["b"]}]
    assert list(input_schema["properties"]) == ["a", "b"]


def test_an_empty_form_of_a_method_that_reads_is_dropped() -> None:
    form: Json = {"content": {"application/x-www-form-urlencoded": {"schema": {"properties": {}}}}}
    given = document({"/a": {"get": {"operationId": "find", "requestBody": form}}})

    assert only(given)["backend"] == {"server": "shop", "operation": "GET /a"}


def test_files_of_a_multipart_body_are_told_from_its_texts() -> None:
    schema = {
        "type": "object",
        "properties": {"file": {"type": "string", "format": "binary"}, "name": TEXT},
    }
    entry = only(with_body(schema, "multipart/form-data"))

    assert entry["backend"]["request"]["body"] == {
        "type": "multipart/form-data",
        "required": True,
        "parts": {"file": {"file": True}},
    }
    assert list(entry["input_schema"]["properties"]["file"]["properties"]) == [
        "name",
        "text",
        "base64",
        "type",
    ]


def test_bytes_are_given_as_base64() -> None:
    body = only(with_body(TEXT, "application/octet-stream"))["backend"]["request"]["body"]

    assert body == {"type": "application/octet-stream", "argument": "body", "base64": True}


def test_json_is_preferred_to_forms_and_text() -> None:
    media = {"schema": {"type": "object", "properties": {"a": TEXT}}}
    content = dict.fromkeys(
        ("text/plain", "application/x-www-form-urlencoded", "application/json", "a/b+json"), media
    )

    entry = only(operation(requestBody={"content": content}))

    assert entry["backend"]["request"]["body"]["type"] == "application/json"


def test_swagger_2_is_read_like_3_0() -> None:
    given = document(
        {
            "/things/{id}": {
                "post": {
                    "operationId": "do",
                    "consumes": ["multipart/form-data"],
                    "parameters": [
                        {"name": "id", "in": "path", "required": True, "type": "string"},
                        {
                            "name": "tags",
                            "in": "query",
                            "type": "array",
                            "items": TEXT,
                            "collectionFormat": "pipes",
                        },
                        {"name": "data", "in": "formData", "type": "file", "required": True},
                    ],
                    "responses": {"200": {"description": "ok", "schema": {"type": "string"}}},
                }
            }
        },
        "2.0",
        host="example.com",
        basePath="/v1",
        produces=["application/json"],
    )
    entry = only(given)

    assert entry["backend"]["request"] == {
        "parameters": {"tags": {"in": "query", "style": "pipeDelimited"}},
        "body": {"type": "multipart/form-data", "parts": {"data": {"file": True}}},
    }
    assert entry["input_schema"]["required"] == ["id", "data"]
    assert entry["backend"]["answer"] == {"schema": {"type": "string"}}


BODY: Final[Json] = {"type": "object", "required": ["name"], "properties": {"name": TEXT}}
WITH_EXAMPLES: Final[dict[str, tuple[Json, Json]]] = {
    "of a media type": ({"schema": BODY, "example": {"name": "Ann"}}, {"name": "Ann"}),
    "the first of several": (
        {"schema": BODY, "examples": {"a": {"value": {"name": "Ann"}}, "b": {"value": {}}}},
        {"name": "Ann"},
    ),
    "of a schema": ({"schema": {**BODY, "example": {"name": "Ann"}}}, {"name": "Ann"}),
    "with what the schema does not have": (
        {"schema": BODY, "example": {"name": "Ann", "more": 1}},
        {"name": "Ann"},
    ),
}


def _with_example(media: Json, *parameters: Json) -> Json:
    body = {"required": True, "content": {"application/json": media}}
    operation = {"parameters": list(parameters), "requestBody": body}
    return only(document({"/people/{id}": {"post": operation}}))


@pytest.mark.parametrize("case", WITH_EXAMPLES)
def test_examples_of_bodies_become_calls(case: str) -> None:
    media, values = WITH_EXAMPLES[case]
    entry = _with_example(media, ID)

    assert entry["examples"] == [{"arguments": {"id": "<id>", **values}}]


def test_examples_of_parameters_become_calls() -> None:
    count = {"name": "count", "in": "query", "required": True, "schema": {"type": "integer"}}
    given = {**ID, "schema": {**TEXT, "example": "p-7"}}
    entry = _with_example({"schema": BODY, "example": {"name": "Ann"}}, given, count)

    assert entry["examples"] == [{"arguments": {"id": "p-7", "name": "Ann", "count": 1}}]


def test_examples_that_the_schema_refuses_are_left_out() -> None:
    assert "examples" not in _with_example({"schema": BODY, "example": {"name": 5}}, ID)


def test_tags_and_paths_choose_operations() -> None:
    given = document(
        {
            "/a": {"get": {"operationId": "a", "tags": ["Big Things"]}},
            "/a/{id}": {"get": {"operationId": "b", "parameters": [ID]}},
            "/ab": {"get": {"operationId": "c"}},
        }
    )

    assert list(data_of(given, "big things")["tools"]) == ["shop_a"]
    assert list(data_of(given, "/a")["tools"]) == ["shop_a", "shop_b"]
    assert list(data_of(given, "/*b")["tools"]) == ["shop_c"]
