"""The OpenAPI 3.1 document of the catalog API, from the types of its answers."""

import json
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic.json_schema import models_json_schema

from toolfold_runtime.api import models
from toolfold_runtime.api.answers import ROOT
from toolfold_runtime.api.request import CATEGORIES, LIMIT, MAX_TOKENS, PAGE, PAGE_SIZE, Number
from toolfold_runtime.contract.codec import Json

if TYPE_CHECKING:
    from pydantic import BaseModel

DOCUMENT: Final = "/api/v1/openapi.json"
_NAME: Final = {"type": "string", "minLength": 1}


def _number(number: Number) -> Json:
    return {
        "type": "integer",
        "default": number.default,
        "minimum": number.least,
        "maximum": number.most,
    }


class Operation(NamedTuple):
    """What can be asked for at an address."""

    name: str
    path: str
    summary: str
    answer: type[models.ApiModel]
    #: Their place, name and schema.
    parameters: tuple[tuple[str, str, Json], ...] = ()
    #: Besides 200, and 304 where the answer has a tag.
    statuses: tuple[int, ...] = (400,)
    has_tag: bool = True


_TOOL: Final = "T3: everything that a call of a tool needs"
OPERATIONS: Final = (
    Operation("hot", "/hot", "T0: the tools to show first", models.HotTools),
    Operation(
        "categories",
        "/categories",
        "T1: the categories, with counts",
        models.Categories,
        (("query", "page", _number(PAGE)), ("query", "page_size", _number(CATEGORIES))),
        (400, 404),
    ),
    Operation(
        "category",
        "/category/{name}",
        "T2: the tools of a category, the best first",
        models.CategoryPage,
        (
            ("path", "name", _NAME),
            ("query", "page", _number(PAGE)),
            ("query", "page_size", _number(PAGE_SIZE)),
            ("query", "max_tokens", _number(MAX_TOKENS)),
        ),
        (400, 404),
    ),
    Operation(
        "tool",
        "/{server}/{tool}",
        f"{_TOOL}; not of a server called `category`",
        models.ToolSchema,
        (("path", "server", _NAME), ("path", "tool", _NAME)),
        (400, 404),
    ),
    Operation(
        "tool_by_id",
        "/{id}",
        f"{_TOOL}, by its id as lists have it",
        models.ToolSchema,
        (("path", "id", {"type": "string", "pattern": ".::."}),),
        (400, 404),
    ),
    Operation(
        "search",
        "/search",
        "The best tools for a query",
        models.SearchHits,
        (
            ("query", "q", {"type": "string", "pattern": "\\S"}),
            ("query", "limit", _number(LIMIT)),
        ),
    ),
    Operation(
        "usage", "/usage", "Live figures of calls", models.Usage, (), (400, 503), has_tag=False
    ),
    Operation(
        "servers",
        "/servers",
        "The servers whose tools are in the catalog",
        models.Servers,
        has_tag=False,
    ),
)
#: What each other status means.
REASONS: Final = {
    400: "A wrong parameter; the message says which",
    404: "No such category, tool or page; the message names the nearest",
    503: "The usage store cannot be read now",
}
_TOKEN: Final = {"type": "http", "scheme": "bearer"}
_REFUSED: Final = {
    "401": {"description": "No token, or one that is not accepted"},
    "403": {"description": "A token without the scopes of this server"},
}


@lru_cache(maxsize=4)
def openapi_document(name: str, version: str, *, wants_token: bool = False) -> bytes:
    """The document of one server, as JSON."""
    document: Json = {
        "openapi": "3.1.0",
        "info": {
            "title": f"{name}: catalog",
            "version": version,
            "description": "The tools of an MCP server, step by step; read only.",
        },
        "paths": {
            f"{ROOT}{operation.path}": {"get": _described(operation)} for operation in OPERATIONS
        },
        "components": {"schemas": types_of_answers()},
    }
    if wants_token:
        document["components"]["securitySchemes"] = {"token": _TOKEN}
        document["security"] = [{"token": []}]
        for path in document["paths"].values():
            path["get"]["responses"] |= _REFUSED
    return json.dumps(document, ensure_ascii=False).encode()


@cache
def types_of_answers() -> Json:
    """The JSON Schema of each type of answer and of its parts, by name."""
    types: list[type[BaseModel]] = [
        *(operation.answer for operation in OPERATIONS),
        models.ErrorAnswer,
    ]
    _, defined = models_json_schema(
        # What has its default is left out of answers.
        [(model, "validation") for model in types],
        ref_template="#/components/schemas/{model}",
    )
    found: Json = defined["$defs"]
    return found


def _described(operation: Operation) -> Json:
    responses = {"200": _response(operation.summary, operation.answer)}
    for status in operation.statuses:
        responses[str(status)] = _response(REASONS[status], models.ErrorAnswer)
    if operation.has_tag:
        responses["304"] = {"description": "What the client has, by If-None-Match, is current"}
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [
            {
                "name": name,
                "in": place,
                "required": place == "path" or name == "q",
                "schema": schema,
            }
            for place, name, schema in operation.parameters
        ],
        "responses": responses,
    }


def _response(description: str, answer: type[models.ApiModel]) -> Json:
    schema = {"$ref": f"#/components/schemas/{answer.__name__}"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
