"""The OpenAPI 3.1 document of the catalog API, from the types of its answers."""

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from pydantic.json_schema import models_json_schema

from toolfold_runtime.api import models
from toolfold_runtime.api.answers import ROOT
from toolfold_runtime.contract.codec import Json

if TYPE_CHECKING:
    from pydantic import BaseModel

DOCUMENT: Final = "/api/v1/openapi.json"
_NAME: Final = {"type": "string", "minLength": 1}


def _number(default: int, least: int, most: int) -> Json:
    return {"type": "integer", "default": default, "minimum": least, "maximum": most}


#: Path, what it answers, the type of that, its parameters as (place, name, schema), other statuses.
OPERATIONS: Final[
    tuple[tuple[str, str, type[models.ApiModel], tuple[Any, ...], tuple[int, ...]], ...]
] = (
    ("/hot", "T0: the tools to show first", models.HotTools, (), (400,)),
    ("/categories", "T1: every category, with counts", models.Categories, (), (400,)),
    (
        "/category/{name}",
        "T2: the tools of a category, the best first",
        models.CategoryPage,
        (
            ("path", "name", _NAME),
            ("query", "page", _number(1, 1, 1_000_000)),
            ("query", "page_size", _number(20, 1, 100)),
            ("query", "max_tokens", _number(4000, 1, 1_000_000)),
        ),
        (400, 404),
    ),
    (
        "/{server}/{tool}",
        "T3: everything that a call of a tool needs",
        models.ToolSchema,
        (("path", "server", _NAME), ("path", "tool", _NAME)),
        (400, 404),
    ),
    (
        "/search",
        "The best tools for a query",
        models.SearchHits,
        (
            ("query", "q", {"type": "string", "pattern": "\\S"}),
            ("query", "limit", _number(5, 1, 50)),
        ),
        (400,),
    ),
    ("/usage", "Live figures of calls", models.Usage, (), (400, 503)),
    ("/servers", "The servers whose tools are in the catalog", models.Servers, (), (400,)),
)
_REASONS: Final = {
    400: "A wrong parameter; the message says which",
    404: "No such category or tool; the message names the nearest",
    503: "The usage store cannot be read now",
}


@lru_cache(maxsize=4)
def openapi_document(name: str, version: str) -> bytes:
    """The document of one server, as JSON."""
    types: list[type[BaseModel]] = [*(operation[2] for operation in OPERATIONS), models.ErrorAnswer]
    _, defined = models_json_schema(
        # What has its default is left out of answers.
        [(own, "validation") for own in types],
        ref_template="#/components/schemas/{model}",
    )
    document: Json = {
        "openapi": "3.1.0",
        "info": {
            "title": f"{name}: catalog",
            "version": version,
            "description": "The tools of an MCP server, step by step; read only.",
        },
        "paths": {
            f"{ROOT}{operation[0]}": {"get": _operation(*operation)} for operation in OPERATIONS
        },
        "components": {"schemas": defined["$defs"]},
    }
    return json.dumps(document, ensure_ascii=False).encode()


def _operation(
    path: str,
    summary: str,
    answer: type[models.ApiModel],
    parameters: tuple[Any, ...],
    statuses: tuple[int, ...],
) -> Json:
    responses = {"200": _response(summary, answer)}
    responses |= {str(own): _response(_REASONS[own], models.ErrorAnswer) for own in statuses}
    if not statuses or "usage" not in path:
        responses["304"] = {"description": "What the client has, by If-None-Match, is current"}
    return {
        "operationId": path.strip("/").partition("/{")[0].strip("{}").replace("/", "_") or "tool",
        "summary": summary,
        "parameters": [
            {
                "name": name,
                "in": place,
                "required": place == "path" or name == "q",
                "schema": schema,
            }
            for place, name, schema in parameters
        ],
        "responses": responses,
    }


def _response(description: str, answer: type[models.ApiModel]) -> Json:
    schema = {"$ref": f"#/components/schemas/{answer.__name__}"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
