"""The files of the catalog, which the runtime reads."""

from collections.abc import Iterable, Iterator, Sequence

from toolfold_runtime.catalog.catalog import CATALOG_FORMAT

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure.budgets import budget_of
from toolfold.plan.disclosure.execution import execution_facts
from toolfold.plan.disclosure.exposure import Disclosure
from toolfold.plan.disclosure.views import Views, category_lines
from toolfold.plan.model import Json, MetaToolPlan, ToolPlan
from toolfold.plan.search.index import IndexLines, index_of, mean_lengths, name_rarities
from toolfold.plan.search.results import reserved_tokens
from toolfold.plan.search.words import search_texts, server_of
from toolfold.plan.source import tool_sources
from toolfold.plan.text.escape import json_text
from toolfold.plan.text.paths import file_stem

#: A path below `catalog/`, and an object or the lines of that file.
CatalogFile = tuple[str, Json | list[str]]


def catalog_files(
    header: str,
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    disclosure: Disclosure,
    views: Views,
) -> dict[str, str]:
    """Path below the package's `catalog/` to text."""
    index = index_of([tool.words for tool in tools], mean_lengths(tools))
    files: list[CatalogFile] = [
        ("server.json", _server(manifest, tools, meta, disclosure)),
        ("names.json", _names(manifest, tools)),
        *_search(manifest, tools, index),
        *_meaning(manifest, tools, index),
        ("inventory.jsonl", disclosure.inventory),
        *_categories(manifest, tools, views),
    ]
    return {path: _text(header, content) for path, content in files}


def _text(header: str, value: Json | list[str]) -> str:
    """An object, or lines that are ready; the header is the first line of both."""
    first = '{"//": ' + json_text(header)
    if isinstance(value, list):
        return "\n".join([f"{first}}}", *value]) + "\n"
    return f"{first},\n" + json_text(value, indent=2).removeprefix("{\n") + "\n"


def _server(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    disclosure: Disclosure,
) -> Json:
    server, settings = manifest.server, manifest.disclosure
    inventory = {t.role: t.name for t in meta if t.role in ("capabilities", "schema")}
    reserved = reserved_tokens(inventory.get("schema", ""))
    return {
        "catalog": CATALOG_FORMAT,
        "name": server.name,
        "version": server.version,
        "title": server.title,
        "instructions": disclosure.instructions,
        "implementation": server.implementation,
        "exposure": disclosure.exposure,
        "default_view": disclosure.default_view,
        "format": settings.format,
        "unknown_parameters": settings.unknown_parameters,
        "unlisted_calls": settings.unlisted_calls,
        "hot": disclosure.hot,
        "search": settings.search,
        "hits": {"tokens": budget_of(manifest, "hits"), "next": reserved},
        **execution_facts(manifest, tools),
        "runners": {tool.name: list(tool.effects) for tool in meta if tool.effects},
        "inventory": inventory,
        "meta_tools": [tool.definition for tool in meta],
    }


def _names(manifest: Manifest, tools: Sequence[ToolPlan]) -> Json:
    """Name to the file of its category, and every other way to say a name."""
    others: dict[str, str] = {}
    for tool in tools:
        others |= dict.fromkeys(tool.aliases, tool.name)
        others[tool.id] = tool.name
    return {
        "tools": {tool.name: file_stem(tool.category) for tool in tools},
        "categories": {name: file_stem(name) for name in manifest.categories},
        "others": others,
    }


def _search(
    manifest: Manifest, tools: Sequence[ToolPlan], index: IndexLines
) -> Iterator[CatalogFile]:
    """What search knows: of each tool a line, in the order of their numbers; then of each word."""
    servers = _numbered(server_of(tool.id) for tool in tools)
    categories = _numbered(manifest.categories)
    yield (
        "search/names.json",
        {
            "server": [[name] for name in servers],
            "category": [[n, c.title or n] for n, c in manifest.categories.items()],
        },
    )
    yield (
        "search/tools.jsonl",
        [
            json_text(
                [
                    tool.name,
                    servers[server_of(tool.id)],
                    categories[tool.category],
                    tool.effect,
                    tool.tags,
                    tool.result_lines[:-1],
                    tool.result_tokens,
                ]
            )
            for tool in tools
        ],
    )
    yield "search/rarities.json", {"names": name_rarities(index, tools)}
    yield "search/words.jsonl", index.words
    yield "search/pairs.jsonl", index.pairs
    yield "search/grams.jsonl", index.grams


def _meaning(
    manifest: Manifest, tools: Sequence[ToolPlan], index: IndexLines
) -> Iterator[CatalogFile]:
    if manifest.disclosure.search == "lexical" or not tools:
        return
    # Imported here: only these strategies need the packages behind it.
    from toolfold.plan.search.meaning import related, vectors

    texts = [search_texts(own, manifest.defs) for own in tool_sources(manifest).values()]
    yield "search/vectors.jsonl", [json_text(vector) for vector in vectors(texts)]
    near = related(texts, list(index.tool_counts))
    yield "search/related.jsonl", [json_text([word, near[word]]) for word in sorted(near)]


def _categories(
    manifest: Manifest, tools: Sequence[ToolPlan], views: Views
) -> Iterator[CatalogFile]:
    """For each category its views, then a line per tool."""
    for category in manifest.categories:
        entries = [tool.entry for tool in tools if tool.category == category]
        lines = [*category_lines(views, category), *entries]
        yield f"categories/{file_stem(category)}.jsonl", lines


def _numbered(names: Iterable[str]) -> dict[str, int]:
    """Names in the order in which they are first said, with their numbers."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
