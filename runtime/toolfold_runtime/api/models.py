"""The answers of the catalog API, as types: what is sent, and what the OpenAPI document says."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from toolfold_runtime.contract.vocabulary import Effect, HotBy, Tier


def _short(value: float) -> float:
    return int(value) if value == int(value) else value


#: A number that is sent as a whole one where it is one.
Number: TypeAlias = Annotated[float, PlainSerializer(_short, return_type=int | float)]


class ApiModel(BaseModel):
    """An answer, or a part of one."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class MeasuredCalls(ApiModel):
    """What was measured of a tool's calls when tiers were last updated."""

    score: Number = Field(description="From 0 to 1; the order of lists.")
    calls: int = Field(description="In the 30 days before.")
    success_rate: Number = Field(description="From 0 to 1.")
    latency_ms: Number = Field(description="Of an average call.")
    p95_ms: Number = Field(description="Of all but the slowest 5 %, at most.")


class Tool(ApiModel):
    """A tool in a list."""

    name: str
    id: str = Field(description="`server::tool`.")
    server: str
    category: str
    description: str
    params: dict[str, str] = Field(description="Top-level parameters with their types.")
    more_params: int = Field(default=0, description="Parameters that are left out here.")
    returns: str | None = None
    effect: Effect | Literal["unspecified"]
    tier: Tier | None = None
    measured: MeasuredCalls | None = None
    is_deprecated: bool = False


class HotTools(ApiModel):
    """T0: the tools to show first."""

    by: HotBy = Field(description="What decided which they are.")
    tools: list[Tool]


class CategorySummary(ApiModel):
    """A category among others."""

    name: str
    description: str
    tool_count: int
    server_count: int
    popular_tools: list[str] = Field(description="Up to two; none where nothing says so.")


class PageOf(ApiModel):
    """Which page of a list this is."""

    page: int
    page_size: int
    total_count: int
    total_pages: int
    next: str | None = Field(default=None, description="The address of the next page.")


class Categories(ApiModel):
    """T1: the categories."""

    tool_count: int = Field(description="Of all categories.")
    categories: list[CategorySummary]
    pagination: PageOf


class Pagination(PageOf):
    """Which page this is; pages end after `page_size` tools, or where `max_tokens` would be exceeded."""

    max_tokens: int
    tokens: int = Field(description="What the tools of this page cost, in o200k tokens.")
    truncated_by: Literal["max_tokens"] | None = Field(
        default=None, description="Why this page has fewer tools than `page_size`."
    )


class CategoryPage(ApiModel):
    """T2: the tools of a category, the best first."""

    category: str
    description: str
    tools: list[Tool]
    pagination: Pagination


class ToolSchema(ApiModel):
    """T3: everything that a call of the tool needs."""

    name: str
    id: str
    server: str
    category: str
    description: str
    effect: Effect
    tier: Tier | None = None
    measured: MeasuredCalls | None = None
    scopes: list[str] = []
    parameters: dict[str, Any] = Field(description="JSON Schema of the arguments.")
    returns: dict[str, Any] | None = Field(default=None, description="JSON Schema of the result.")
    valid_call: dict[str, Any] | None = Field(default=None, description="Arguments that are valid.")


class SearchHit(ApiModel):
    """A tool that matches a query."""

    score: float
    tool: Tool


class SearchHits(ApiModel):
    """The best tools for a query."""

    query: str
    hits: list[SearchHit]
    hints: list[str] = Field(description="Why there are none, or what was not understood.")


class ToolUsage(ApiModel):
    """The calls of one tool in the last 30 days."""

    tool: str = Field(description="`server::tool`.")
    calls: int
    failures: int = Field(description="Calls that were carried out, and failed.")
    not_run: int = Field(description="Refused, asked about or cancelled.")
    success_rate: float | None = Field(
        default=None, description="From 0 to 1, of calls that were carried out, if any was."
    )
    latency_ms: float | None = Field(default=None, description="Of an average one of these.")
    p50_ms: float | None = Field(
        default=None, description="Half of these took no longer; within 5 %."
    )
    p95_ms: float | None = Field(
        default=None, description="All but the slowest 5 % of these took no longer; within 5 %."
    )


class DayUsage(ApiModel):
    """All calls of one day."""

    day: str = Field(description="In UTC, as in 2026-11-18.")
    calls: int
    failures: int
    latency_ms: float = Field(description="Of an average call; 0 where there was none.")


class CacheCounts(ApiModel):
    """How often an answer was ready."""

    hits: int
    misses: int


class Usage(ApiModel):
    """Live figures, of every process that records into the same store."""

    is_recorded: bool
    tools: list[ToolUsage]
    days: list[DayUsage]
    caches: dict[str, CacheCounts] = Field(
        description="Of this process: answers by tier, and `results` of tools that may be cached."
    )


class Upstream(ApiModel):
    """A server that carries tools out."""

    name: str
    status: str = Field(
        description="`here`: this server itself; `described`: known from the catalog, nothing here"
        " carries its calls out; else `unused`, `connecting`, `connected`, `idle` or `failing`."
    )
    since: str = Field(default="", description="When the status began.")
    failing_since: str = Field(default="", description="When it began to fail, if it does.")
    calls: int = Field(default=0, description="Of this process, since it started.")
    failed_calls: int = Field(default=0, description="Calls that were not carried out.")
    tool_count: int = Field(description="Tools whose ids begin with its name.")


class Servers(ApiModel):
    """The servers whose tools are in the catalog, with what this process knows of them."""

    servers: list[Upstream]


class Problem(ApiModel):
    """What is wrong with a request, and what to do about it."""

    code: str
    message: str


class ErrorAnswer(ApiModel):
    """The answer where something is wrong."""

    error: Problem
