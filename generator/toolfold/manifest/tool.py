"""The shape of one tool in a manifest."""

from typing import Literal, cast

from pydantic import Field
from toolfold_runtime.contract.server import TOOL_CONCURRENCY
from toolfold_runtime.contract.upstream import UpstreamTool
from toolfold_runtime.contract.vocabulary import Confirmation, ContentKind, Effect, Tier

from toolfold.manifest.tool_parts import (
    Backend,
    Cache,
    DeprecatedEntry,
    Deprecation,
    Example,
    Icon,
    Performance,
    Reference,
)
from toolfold.manifest.types import (
    CategoryName,
    Count,
    ErrorCode,
    JsonObject,
    JsonSchema,
    Line,
    ManifestModel,
    Parameter,
    Scope,
    Seconds,
    Text,
    Tokens,
    ToolId,
    ToolName,
    ToolReference,
)
from toolfold.manifest.usage import Measured


class Tool(ManifestModel):
    """One tool."""

    category: CategoryName = Field(
        description="One of the names under `categories:`.", examples=["orders"]
    )
    effect: Effect = Field(description="What a call does: read, write or destructive.")
    summary: Line = Field(
        description="One line; the default for title and description.", examples=["Find an order"]
    )
    title: Line | None = Field(
        default=None,
        description="The tool's name for people; default: its summary.",
        examples=["Order by number"],
    )
    description: Text | None = Field(
        default=None,
        description="What agents read before a call; default: the summary.",
        examples=["Finds one order by its number, with its items and where it is now."],
    )
    example: Line | None = Field(
        default=None,
        description="A prompt that needs the tool; search must find the tool by it.",
        examples=["where is my order?"],
    )
    tags: list[Line] = Field(
        default=[],
        description="Words that a search can filter by, as in `tag:orders`.",
        examples=[["orders", "shipping"]],
    )
    tier: Tier | None = Field(
        default=None,
        description="How often the tool is needed; hot tools have a view and `hybrid` lists them.",
    )
    measured: Measured | None = Field(
        default=None,
        description="What usage says of the tool; `toolfold tiers update` writes it into an overlay.",
        examples=[
            {
                "score": 0.87,
                "calls": 12453,
                "success_rate": 0.987,
                "latency_ms": 47,
                "p95_ms": 89,
            }
        ],
    )
    parameters: dict[str, Parameter] | None = Field(
        default=None,
        description="The parameters by name, each a JSON Schema with `required: true` or not.",
        examples=[{"id": {"type": "string", "required": True}, "limit": {"type": "integer"}}],
    )
    returns: JsonSchema | None = Field(
        default=None,
        description="JSON Schema of the result; default: anything, sent as text.",
        examples=[{"type": "array", "items": {"type": "string"}}, {"$ref": "#/$defs/Order"}],
    )
    content: ContentKind | None = Field(
        default=None,
        description=(
            "What the result is besides JSON: a picture, sound, a file, a link to a resource,"
            " or any number of these and texts; beside `returns` or instead of it."
        ),
    )
    input_schema: JsonObject | None = Field(
        default=None,
        description="A foreign JSON Schema of all arguments, served as it is.",
        examples=[{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}],
    )
    output_schema: JsonObject | None = Field(
        default=None,
        description="A foreign JSON Schema of the result, served as it is.",
        examples=[{"type": "object", "properties": {"id": {"type": "string"}}}],
    )
    formats: Literal["assert"] | None = Field(
        default=None,
        description="Holds values to the formats in `input_schema` and `output_schema` too.",
    )
    examples: list[Example] = Field(
        default=[],
        description="Calls with valid arguments, for the full view and the docs.",
        examples=[[{"description": "One order", "arguments": {"id": "A-1"}}]],
    )
    errors: dict[ErrorCode, Line] = Field(
        default={},
        description="Codes of the tool's own errors, each with its meaning.",
        examples=[{"not_found": "No order has this id"}],
    )
    deprecated: DeprecatedEntry = Field(
        default=False,
        description="true, or what to use instead and why.",
        examples=[True, {"use": "find_order", "reason": "It reads the old store"}],
    )
    related: list[ToolReference] = Field(
        default=[],
        description="Tools that are worth knowing beside it.",
        examples=[["list_orders"]],
    )
    generates: list[Line] = Field(
        default=[],
        description="Things in its result that other tools consume.",
        examples=[["order_id"]],
    )
    consumes: list[Line] = Field(
        default=[],
        description="Things that it takes and other tools generate.",
        examples=[["order_id"]],
    )
    performance: Performance | None = Field(
        default=None,
        description="What a call costs, as the author knows it.",
        examples=[{"speed": "fast", "tokens": 200}],
    )
    notes: Text | None = Field(
        default=None,
        description="More to know, in the full view and the docs.",
        examples=["Orders older than ten years are archived."],
    )
    references: list[Reference] = Field(
        default=[],
        description="Pages to read elsewhere.",
        examples=[[{"title": "Orders", "url": "https://example.com/orders"}]],
    )
    scopes: list[Scope] = Field(
        default=[],
        description="OAuth scopes that a caller over HTTP needs, all of them.",
        examples=[["orders:write"]],
    )
    # An empty `confirm:` is refused: nobody should think that it asks.
    confirm: Confirmation = Field(
        default=cast("Confirmation", None),
        description=(
            "Has the client ask its user before a call; where it cannot,"
            " `ask` goes on and `require` refuses."
        ),
    )
    cache: Cache | None = Field(
        default=None,
        description="Gives an answer again for a while; only with `effect: read`.",
        examples=[{"ttl": 60}],
    )
    timeout: Seconds | None = Field(
        default=None,
        description="Seconds that a call may take; default: `execution.timeout`.",
        examples=[2.5],
    )
    concurrency: Count | None = Field(
        default=None,
        description="Calls of the tool that run at once, three quarters of all at most.",
        json_schema_extra={"default": TOOL_CONCURRENCY},
    )
    coerce_strings: bool | None = Field(
        default=None,
        description='Take "5" for 5 and "true" for true; default: `execution.coerce_strings`.',
    )
    budget: Tokens | None = Field(
        default=None,
        description="Largest result in tokens, larger ones are truncated; default: `budgets.result`.",
        examples=[1500],
    )
    aliases: list[ToolName] = Field(
        default=[],
        description="Earlier names of the tool, which still work.",
        examples=[["get_order"]],
    )
    id: ToolId | None = Field(
        default=None,
        description="Where the tool came from; default: this server and the tool's name.",
        examples=["shop::find_order"],
    )
    annotations: JsonObject = Field(
        default={},
        description="MCP annotations, served unchanged.",
        examples=[{"idempotentHint": True}],
    )
    icons: list[Icon] = Field(
        default=[],
        description="Pictures that clients may show.",
        examples=[[{"src": "https://example.com/order.png", "mimeType": "image/png"}]],
    )
    proposed: list[Literal["category", "summary", "effect"]] = Field(
        default=[],
        description="What an importer guessed; take it out once you agree, or write it in an overlay.",
        examples=[["effect"]],
    )
    hidden: bool = Field(
        default=False,
        description="Takes the tool out of everything, as if it were not declared; for overlays.",
    )
    meta: JsonObject = Field(
        default={},
        description="MCP `_meta`, served unchanged.",
        examples=[{"example.com/owner": "orders"}],
    )
    backend: Backend | None = Field(
        default=None,
        description=(
            "What carries a call out; default: the upstream server that the tool's `id` names,"
            " else the method of the tool's name."
        ),
        examples=[
            {"python": "find_order_by_id"},
            {"server": "orders", "tool": "find_order"},
            {"server": "shop", "operation": "GET /orders/{id}"},
        ],
    )

    @property
    def display_title(self) -> str:
        """The title, or the summary where there is none."""
        return self.title or self.summary

    @property
    def full_description(self) -> str:
        """The description, or the summary where there is none."""
        return self.description or self.summary

    @property
    def shown_effect(self) -> str:
        """The effect, as agents and people are told it; one that nobody declared may be any."""
        is_unknown = self.effect == "write" and "effect" in self.proposed
        return "unspecified" if is_unknown else self.effect

    @property
    def deprecation(self) -> Deprecation | None:
        """What to use instead and why; None where the tool is not deprecated."""
        if isinstance(self.deprecated, Deprecation):
            return self.deprecated
        return Deprecation() if self.deprecated else None

    @property
    def upstream(self) -> UpstreamTool | None:
        """The tool of an upstream server that the backend names; None where it names none."""
        server, tool = (self.backend.server, self.backend.tool) if self.backend else (None, None)
        return UpstreamTool(server, tool) if server is not None and tool is not None else None

    @property
    def is_operation(self) -> bool:
        """Whether an operation of an HTTP API carries it out."""
        return self.backend is not None and self.backend.operation is not None

    @property
    def answer_schema(self) -> JsonObject | None:
        """The schema of what an operation answers; None where nothing is known of it."""
        answer = self.backend.answer if self.backend else None
        return answer.schema_ if answer else None

    @property
    def asserts_input_formats(self) -> bool:
        """Whether arguments must match the formats that the schema names."""
        return self.input_schema is None or self.formats == "assert"

    @property
    def asserts_output_formats(self) -> bool:
        """Whether results must match the formats that the schema names."""
        return self.output_schema is None or self.formats == "assert"
