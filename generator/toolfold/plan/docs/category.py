"""The page of a category: its tools, each with its purpose, effect and cost."""

from dataclasses import dataclass
from typing import Final

from toolfold.plan.docs.charts import bars
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.links import category_page_path, plural, tool_link
from toolfold.plan.text.escape import markdown, markdown_block, markdown_code
from toolfold.plan.text.paths import file_stem

_ROOT: Final = "../"
_MAX_BARS: Final = 12


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


@dataclass(frozen=True)
class CategoryPageSource:
    """Everything that the page of a category is made from."""

    title: str
    description: str
    tools: tuple[CategoryRow, ...]


def category_page_sources(facts: CatalogFacts) -> dict[str, CategoryPageSource]:
    """What the page of each category is made from, by output path, in the manifest's order."""
    meta = {
        tool.name: CategoryRow(
            tool.name,
            tool.summary,
            tool.shown_effect,
            is_meta=True,
        )
        for tool in facts.meta
    }
    rows = meta | {
        tool.name: CategoryRow(
            tool.name,
            tool.summary,
            tool.shown_effect,
            tool.tokens["listed"],
            deprecated=facts.deprecation(tool.name, _ROOT),
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
    own = [row for row in source.tools if not row.is_meta]
    total = sum(row.listed_tokens for row in own)
    return {
        "title": markdown(source.title),
        "description": markdown_block(source.description),
        "summary": f"{plural(len(source.tools), 'tool')}, {total:,} tokens when listed.",
        "tools": [_row(row) for row in source.tools],
        "chart": _chart(own) if len(own) > 1 else "",
    }


def _chart(rows: list[CategoryRow]) -> str:
    largest = sorted(rows, key=lambda row: -row.listed_tokens)[:_MAX_BARS]
    return bars(
        "tools",
        f"Tokens of each tool when listed{', the dearest' if len(rows) > len(largest) else ''}",
        [(row.name, row.listed_tokens) for row in largest],
        "tokens",
    )


def _row(row: CategoryRow) -> dict[str, str]:
    anchor = file_stem(row.name)
    meta_link = f"[{markdown_code(row.name)}]({_ROOT}agents.md#meta-{anchor})"
    return {
        "anchor": anchor,
        "link": meta_link if row.is_meta else tool_link(row.name, _ROOT),
        "summary": f"{row.deprecated} {markdown(row.summary)}".lstrip(),
        "effect": row.effect,
        "tokens": "" if row.is_meta else f"{row.listed_tokens:,}",
    }
