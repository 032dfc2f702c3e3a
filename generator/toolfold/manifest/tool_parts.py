"""The shape of the mappings in a tool's entry: examples, icons, its cache, its backend."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Discriminator, Field

from toolfold.manifest.operation import HttpAnswer, HttpRequest, Pagination
from toolfold.manifest.types import (
    FLAG,
    MAPPING,
    Address,
    IconAddress,
    Identifier,
    JsonObject,
    Line,
    ManifestModel,
    OperationLine,
    Seconds,
    ServerName,
    Tokens,
    ToolReference,
    flag_or_mapping,
)


class Example(ManifestModel):
    """One call of a tool, valid against its parameters."""

    description: Line | None = Field(
        default=None, description="What the call does, in one line.", examples=["One order"]
    )
    arguments: JsonObject = Field(
        default={}, description="The arguments of the call.", examples=[{"id": "A-1"}]
    )


class Performance(ManifestModel):
    """What a call costs, as the author knows it."""

    speed: Literal["fast", "medium", "slow"] | None = Field(
        default=None, description="How long a call takes."
    )
    tokens: Tokens | None = Field(
        default=None, description="About how many tokens a result has.", examples=[200]
    )


class Reference(ManifestModel):
    """Something to read elsewhere."""

    title: Line = Field(description="What the link says.", examples=["How orders work"])
    url: Address = Field(description="Its address.", examples=["https://example.com/orders"])


class Icon(ManifestModel):
    """A picture of a tool, for people."""

    src: IconAddress = Field(
        description="Where the picture is.", examples=["https://example.com/order.png"]
    )
    mime_type: Line | None = Field(
        default=None,
        alias="mimeType",
        description="The media type of the picture.",
        examples=["image/png"],
    )
    sizes: list[Line] = Field(
        default=[], description="The sizes that it is made for.", examples=[["48x48"]]
    )
    theme: Literal["light", "dark"] | None = Field(
        default=None, description="The background that it is made for."
    )


class Cache(ManifestModel):
    """How long an answer may be given again, in seconds."""

    ttl: Seconds = Field(
        description="Seconds for which an answer may be given again.", examples=[60]
    )
    shared: bool = Field(
        default=False,
        description="Whether an answer is the same for every caller, and given to all of them.",
    )


class Backend(ManifestModel):
    """What carries a call out: a method, a tool of an upstream server, or an operation of an HTTP API."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["python"]},
                {"required": ["server", "tool"]},
                {"required": ["server", "operation"]},
            ]
        }
    )

    python: Identifier | None = Field(
        default=None,
        description="The method of the implementation.",
        examples=["find_order_by_id"],
    )
    server: ServerName | None = Field(
        default=None, description="One of the names under `servers:`.", examples=["orders"]
    )
    tool: Line | None = Field(
        default=None, description="What that server calls the tool.", examples=["find_order"]
    )
    operation: OperationLine | None = Field(
        default=None,
        description="Method and path of an operation, where the server is an HTTP API.",
        examples=["GET /orders/{id}"],
    )
    request: HttpRequest | None = Field(
        default=None,
        description="What the request needs besides arguments in the path and in the query.",
        examples=[{"body": {"type": "application/json"}}],
    )
    answer: HttpAnswer | None = Field(
        default=None,
        description="What an operation answers.",
        examples=[{"schema": {"type": "object"}}],
    )
    pages: Pagination | None = Field(
        default=None,
        description="How the list that an operation answers is read on.",
        examples=[{"style": "page", "argument": "page"}],
    )


class Deprecation(ManifestModel):
    """Since when and why a tool should no longer be used, and what to use instead."""

    since: Line | None = Field(
        default=None,
        description="The version of the server that deprecated it.",
        examples=["0.8.0"],
    )
    use: ToolReference | None = Field(
        default=None, description="The tool to use instead.", examples=["find_order"]
    )
    reason: Line | None = Field(
        default=None, description="Why, in one line.", examples=["It reads the old store"]
    )


DeprecatedEntry = Annotated[
    Annotated[Deprecation, MAPPING] | Annotated[bool, FLAG],
    Discriminator(flag_or_mapping),
]
