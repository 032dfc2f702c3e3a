"""The shape of what a manifest says about an operation of an HTTP API: its request and its answer."""

from pydantic import Field
from toolfold_runtime.contract.http import PageStyle, ParameterPlace, ParameterStyle

from toolfold.manifest.types import (
    JsonSchema,
    Line,
    ManifestModel,
    MediaType,
    StatusCode,
)


class RequestParameter(ManifestModel):
    """Where an argument is sent, and how it is written there."""

    place: ParameterPlace = Field(
        alias="in", description="Where it is sent: path, query, header or cookie."
    )
    name: Line | None = Field(
        default=None,
        description="What the API calls it; default: the argument's name.",
        examples=["filter[status]"],
    )
    style: ParameterStyle | None = Field(
        default=None,
        description=(
            "How lists and objects are written, by OpenAPI's words;"
            " default: form in a query or cookie, simple elsewhere."
        ),
    )
    explode: bool | None = Field(
        default=None,
        description="Whether each item is written by itself; default: for form and deepObject only.",
    )
    content: MediaType | None = Field(
        default=None,
        description="The media type that the whole value is written as, instead of a style.",
        examples=["application/json"],
    )
    reserved: bool = Field(
        default=False, description="Whether `:/?@!$'()*,;` are sent as they are, in a query."
    )


class RequestPart(ManifestModel):
    """How one property of a form or multipart body is written."""

    type: MediaType | None = Field(
        default=None,
        description="Its media type; default: JSON for objects, text for other values.",
        examples=["image/png"],
    )
    style: ParameterStyle | None = Field(
        default=None, description="How lists and objects are written, as in a query."
    )
    explode: bool | None = Field(
        default=None, description="Whether each item is written by itself."
    )
    file: bool = Field(
        default=False,
        description="Whether it is a file: base64, or an object with name and text or base64.",
    )


class RequestBody(ManifestModel):
    """What the body of a request is made of: one argument, or all that is sent nowhere else."""

    type: MediaType = Field(description="Its media type.", examples=["application/json"])
    argument: Line | None = Field(
        default=None,
        description=(
            "The argument that is the whole body;"
            " default: an object of all arguments that are sent nowhere else."
        ),
        examples=["body"],
    )
    names: dict[Line, Line] = Field(
        default={},
        description="Argument to the property of the body that it is, where the two differ.",
        examples=[{"id_body": "id"}],
    )
    required: bool = Field(
        default=False,
        description="Whether an empty object is sent where no argument is given; default: no body.",
    )
    base64: bool = Field(
        default=False, description="Whether the whole argument is bytes, given as base64."
    )
    parts: dict[Line, RequestPart] = Field(
        default={},
        description="Property to how it is written, in forms and multipart bodies.",
        examples=[{"file": {"file": True}}],
    )


class HttpRequest(ManifestModel):
    """What a request needs besides the usual: arguments in the path's braces, the others in the query."""

    parameters: dict[Line, RequestParameter] = Field(
        default={},
        description=(
            "Argument to where and how it is sent. Those in the path need no entry;"
            " the others are in the body, or in the query where there is none."
        ),
        examples=[{"labels": {"in": "query", "explode": False}}],
    )
    body: RequestBody | None = Field(
        default=None,
        description="The body, if there is one.",
        examples=[{"type": "application/json"}],
    )


class HttpAnswer(ManifestModel):
    """What comes back."""

    schema_: JsonSchema | None = Field(
        default=None,
        alias="schema",
        description="JSON Schema of the answer: shown, compared with what comes, never enforced.",
        examples=[{"type": "array", "items": {"$ref": "#/$defs/Order"}}],
    )
    types: list[MediaType] = Field(
        default=[],
        description="Its media types, the best first; default: JSON, or anything.",
        examples=[["application/json"]],
    )
    errors: dict[StatusCode, Line] = Field(
        default={},
        description="Status codes, each with its meaning.",
        examples=[{"404": "No such order"}],
    )


class Pagination(ManifestModel):
    """How a list is read on, which the answer then says."""

    style: PageStyle = Field(
        description=(
            "What asks for more: a cursor from the answer, the number of a page, an offset,"
            " or the address in the `Link` header (link)."
        )
    )
    argument: Line | None = Field(
        default=None,
        description="The argument that asks for more; of the style link, the address says which.",
        examples=["cursor"],
    )
    next: Line | None = Field(
        default=None,
        description="Where the answer has the next cursor, or address: names with dots between.",
        examples=["meta.next_cursor"],
    )
    items: Line | None = Field(
        default=None,
        description="Where the answer has the items; default: the answer, or its only list.",
        examples=["data"],
    )
    more: Line | None = Field(
        default=None,
        description="Where the answer says whether there is more.",
        examples=["has_more"],
    )
