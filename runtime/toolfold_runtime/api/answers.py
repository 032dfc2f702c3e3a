"""What the API says of the catalog: the same summaries and schemas that agents are shown."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final, TypeVar
from urllib.parse import quote, urlencode

from toolfold_runtime.api.models import (
    Categories,
    CategoryPage,
    CategorySummary,
    HotTools,
    MeasuredCalls,
    PageOf,
    Pagination,
    SearchHit,
    SearchHits,
    Tool,
    ToolSchema,
)
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.summary import ToolSummary
from toolfold_runtime.errors import ToolError, unknown

ROOT: Final = "/api/v1/tools"
_POPULAR: Final = 2

_Item = TypeVar("_Item")


class CatalogAnswers:
    """The answers about one catalog, which does not change while it is served."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def hot(self) -> HotTools:
        """T0: the hot list."""
        facts = self._catalog.facts
        names = (name for name in facts.hot_list if name in self._by_name)
        return HotTools(by=facts.hot_by, tools=[_tool(self._by_name[name]) for name in names])

    def categories(self, page: int, page_size: int) -> Categories:
        """T1: categories with their counts and popular tools; ToolError where there is no such page."""
        names = list(self._catalog.categories())
        pages = [names[at : at + page_size] for at in range(0, len(names), page_size)] or [[]]
        page_names = _page(pages, page, "page_size")
        return Categories(
            tool_count=len(self._by_name),
            categories=[self._category(name) for name in page_names],
            pagination=PageOf(
                page=page,
                page_size=page_size,
                total_count=len(names),
                total_pages=len(pages),
                next=_next("/categories", len(pages), page=page, page_size=page_size),
            ),
        )

    def category(self, name: str, page: int, page_size: int, max_tokens: int) -> CategoryPage:
        """T2: a page of a category's tools; ToolError where there is no such category or page."""
        tools = self._tools_of(name)
        pages = _pages(tools, page_size, max_tokens)
        page_tools = _page(pages, page, "page_size and max_tokens")
        path = f"/category/{quote(name, safe='')}"
        query = {"page": page, "page_size": page_size, "max_tokens": max_tokens}
        following = _next(path, len(pages), **query)
        return CategoryPage(
            category=name,
            description=self._catalog.category_description(name),
            tools=[_tool(tool) for tool in page_tools],
            pagination=Pagination(
                page=page,
                page_size=page_size,
                max_tokens=max_tokens,
                tokens=sum(tool.tokens for tool in page_tools),
                total_count=len(tools),
                total_pages=len(pages),
                next=following,
                truncated_by="max_tokens" if following and len(page_tools) < page_size else None,
            ),
        )

    def has_id(self, text: str) -> bool:
        """Whether a text is the id of a tool."""
        return text in self._ids

    def tool(self, named: str) -> ToolSchema:
        """T3: what a call needs of a tool, by its id or as `server/tool`.

        ToolError `unknown_tool` with the nearest of the same server.
        """
        summary = self._ids.get(named) or self._by_path.get(named)
        if summary is None:
            raise self._unknown_tool(named)
        entry = self._catalog.entry(summary.name)
        definition = entry.definition
        return ToolSchema(
            name=entry.name,
            id=summary.id,
            server=summary.server,
            category=entry.category,
            description=definition.description,
            effect=entry.effect,
            tier=summary.tier,
            measured=_measured(summary),
            scopes=list(entry.scopes),
            parameters=definition.input_schema,
            returns=definition.output_schema,
            valid_call=entry.example,
        )

    def search(self, query: str, limit: int) -> SearchHits:
        """The best tools for a query, as agents find them."""
        finder = self._catalog.finder
        results = finder.find(query, limit)
        hits = [
            SearchHit(
                score=round(ranked.score, 4),
                tool=_tool(self._by_name[finder.index.tools[ranked.tool].name]),
            )
            for ranked in results.tools
        ]
        hints = [*results.query.hints, *([results.reason] if results.reason else [])]
        return SearchHits(query=query, hits=hits, hints=hints)

    def server_counts(self) -> dict[str, int]:
        """Server to the number of its tools, in the order of the catalog."""
        return dict(Counter(tool.server for tool in self._catalog.summaries()))

    def summaries(self) -> Sequence[ToolSummary]:
        """Every tool, in the order of views."""
        return self._catalog.summaries()

    @cached_property
    def _by_name(self) -> dict[str, ToolSummary]:
        return {tool.name: tool for tool in self._catalog.summaries()}

    @cached_property
    def _ids(self) -> dict[str, ToolSummary]:
        return {tool.id: tool for tool in self._catalog.summaries()}

    @cached_property
    def _by_path(self) -> dict[str, ToolSummary]:
        # Two ids may make one path where a server's name has a slash; each has its id.
        return {tool.id.replace("::", "/", 1): tool for tool in self._catalog.summaries()}

    @cached_property
    def _by_category(self) -> dict[str, list[ToolSummary]]:
        tools: dict[str, list[ToolSummary]] = {name: [] for name in self._catalog.categories()}
        for tool in self._catalog.summaries():
            tools[tool.category].append(tool)
        return tools

    def _unknown_tool(self, named: str) -> ToolError:
        servers = self.server_counts()
        known = [server for server in servers if named.startswith((f"{server}::", f"{server}/"))]
        if not known:
            server = named.partition("::" if "::" in named else "/")[0]
            return unknown("unknown_tool", "server", server, servers)
        server = max(known, key=len)
        name = named.removeprefix(server).removeprefix("::").removeprefix("/")
        names = [tool.id.partition("::")[2] for tool in self._ids.values() if tool.server == server]
        return unknown("unknown_tool", f"tool of {server}", name, names)

    def _tools_of(self, category: str) -> list[ToolSummary]:
        if category not in self._by_category:
            raise unknown("unknown_category", "category", category, list(self._by_category))
        return self._by_category[category]

    def _category(self, name: str) -> CategorySummary:
        tools = self._by_category[name]
        # The best first; those that nothing speaks for are not called popular.
        popular = [tool.id for tool in tools if tool.measured or tool.tier in ("hot", "warm")]
        return CategorySummary(
            name=name,
            description=self._catalog.category_description(name),
            tool_count=len(tools),
            server_count=len({tool.server for tool in tools}),
            popular_tools=popular[:_POPULAR],
        )


def _page(pages: Sequence[list[_Item]], page: int, sizes: str) -> list[_Item]:
    if page > len(pages):
        text = f"no page {page}: with this {sizes}, the last is {len(pages)}."
        raise ToolError("not_found", text)
    return pages[page - 1]


def _next(path: str, pages: int, **query: int) -> str | None:
    """The address of the next page; None on the last."""
    if query["page"] == pages:
        return None
    return f"{ROOT}{path}?{urlencode(query | {'page': query['page'] + 1})}"


def _pages(tools: Sequence[ToolSummary], size: int, max_tokens: int) -> list[list[ToolSummary]]:
    """Tools in pages of so many at most, and of so many tokens unless one tool alone has more."""
    pages: list[list[ToolSummary]] = [[]]
    tokens = 0
    for tool in tools:
        is_full = len(pages[-1]) == size or (pages[-1] and tokens + tool.tokens > max_tokens)
        if is_full:
            pages.append([])
            tokens = 0
        pages[-1].append(tool)
        tokens += tool.tokens
    return pages


def _tool(summary: ToolSummary) -> Tool:
    # As it was counted when the catalog was generated.
    return Tool.model_validate(summary.shown())


def _measured(summary: ToolSummary) -> MeasuredCalls | None:
    measured = summary.measured
    return None if measured is None else MeasuredCalls(**measured._asdict())
