"""The page of a category: its tools, each with its purpose, effect, tags and cost."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from toolfold_runtime.contract.summary import Measured

from toolfold.plan.disclosure.measured import short_figures
from toolfold.plan.docs.charts import bars
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.links import category_page_path, plural, tool_link
from toolfold.plan.text.escape import markdown, markdown_block, markdown_code
from toolfold.plan.text.paths import file_stem

_ROOT: Final = "../"
_MAX_BARS: Final = 8
#: A category is worth groups from so many tools, and a group from so many.
_LARGE: Final = 30
_LEAST_GROUP: Final = 3


@dataclass(frozen=True)
class CategoryRow:
    """What the page of a category says of one tool; a meta-tool is listed at no cost of its own."""

    name: str
    summary: str
    effect: str
    listed_tokens: int = 0
    is_meta: bool = False
    #: As finished Markdown; empty where the tool is not deprecated.
    deprecated: str = ""
    tier: str = ""
    #: What usage says of it, if it is ranked by usage.
    measured: Measured | None = None
    tags: tuple[str, ...] = ()
    #: The server that it is of.
    server: str = ""


@dataclass(frozen=True)
class CategoryPageSource:
    """Everything that the page of a category is made from."""

    title: str
    description: str
    tools: tuple[CategoryRow, ...]


def category_page_sources(facts: CatalogFacts) -> dict[str, CategoryPageSource]:
    """What the page of each category is made from, by output path, in the manifest's order."""
    meta = {
        tool.name: CategoryRow(tool.name, tool.summary, tool.shown_effect, is_meta=True)
        for tool in facts.meta
    }
    rows = meta | {
        tool.name: CategoryRow(
            tool.name,
            tool.summary,
            tool.shown_effect,
            tool.tokens["listed"],
            deprecated=facts.deprecation(tool.name, _ROOT),
            tier=tool.tier or "",
            measured=tool.measured,
            tags=tuple(tool.tags),
            server=tool.id.partition("::")[0],
        )
        for tool in facts.tools
    }
    return {
        f"docs/{category_page_path(category.name)}": CategoryPageSource(
            category.title, category.description, tuple(rows[name] for name in category.tools)
        )
        for category in facts.categories
    }


def category_page(source: CategoryPageSource) -> dict[str, object]:
    """The values that the template of a category's page places."""
    tool_rows = [row for row in source.tools if not row.is_meta]
    total = sum(row.listed_tokens for row in tool_rows)
    return {
        "title": markdown(source.title),
        "description": markdown_block(source.description),
        "summary": _summary(len(tool_rows), len(source.tools) - len(tool_rows), total),
        "groups": [
            {"title": markdown(title), "tools": [_line(row) for row in rows]}
            for title, rows in _grouped(source.tools)
        ],
        "chart": _chart(tool_rows) if len(tool_rows) > 1 else "",
    }


def _summary(tools: int, meta: int, tokens: int) -> str:
    more = f" And {plural(meta, 'meta-tool')}." if meta else ""
    return f"{plural(tools, 'tool')}, {tokens:,} tokens when listed.{more}"


def _grouped(rows: tuple[CategoryRow, ...]) -> list[tuple[str, list[CategoryRow]]]:
    """The rows of a large category by server, else by the prefix of their names; else all in one."""
    if len(rows) < _LARGE:
        return [("", list(rows))]
    for key in (_server, _prefix):
        groups: dict[str, list[CategoryRow]] = defaultdict(list)
        for row in rows:
            groups[key(row)].append(row)
        large = {
            title: group for title, group in groups.items() if len(group) >= _LEAST_GROUP and title
        }
        if len(large) > 1:
            rest = [row for row in rows if key(row) not in large]
            return [*large.items(), *([("Others", rest)] if rest else [])]
    return [("", list(rows))]


def _server(row: CategoryRow) -> str:
    return row.server


def _prefix(row: CategoryRow) -> str:
    """The first word of a name, which tools of one kind often share."""
    return row.name.replace("-", "_").partition("_")[0]


def _chart(rows: list[CategoryRow]) -> str:
    largest = sorted(rows, key=lambda row: -row.listed_tokens)[:_MAX_BARS]
    return bars(
        "tools",
        f"Tokens of each tool when listed{', the dearest' if len(rows) > len(largest) else ''}",
        [(row.name, row.listed_tokens) for row in largest],
        "tokens",
    )


def _line(row: CategoryRow) -> str:
    """A tool: name, effect, tier and figures on one line, its purpose and its tags below."""
    meta_link = f"[{markdown_code(row.name)}]({_ROOT}agents.md#meta-{file_stem(row.name)})"
    parts = [meta_link if row.is_meta else tool_link(row.name, _ROOT), markdown_code(row.effect)]
    parts += [markdown_code(row.tier)] if row.tier else []
    figures = [] if row.is_meta else [plural(row.listed_tokens, "token")]
    figures += [short_figures(row.measured)] if row.measured else []
    purpose = f"{row.deprecated} {markdown(row.summary)}".lstrip()
    tags = f" *{', '.join(map(markdown, row.tags))}*" if row.tags else ""
    return f"{' '.join(parts)} {', '.join(figures)}".rstrip() + f"  \n  {purpose}{tags}"
