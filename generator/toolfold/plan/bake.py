"""The baked catalog: what the runtime reads, as text by file."""

from collections.abc import Iterable, Iterator, Sequence

from toolfold_runtime.catalog import CATALOG_FORMAT

from toolfold.manifest.schema import Manifest
from toolfold.plan.budgets import budget_of
from toolfold.plan.disclosure import Disclosed
from toolfold.plan.escape import json_text
from toolfold.plan.execution import execution_facts
from toolfold.plan.hits import rest_tokens
from toolfold.plan.model import Json, MetaToolPlan, ToolPlan
from toolfold.plan.paths import file_stem
from toolfold.plan.search_index import search_index
from toolfold.plan.search_words import server_of
from toolfold.plan.views.cut import Page


def baked(
    manifest: Manifest,
    header: str,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    disclosed: Disclosed,
) -> dict[str, str]:
    """Path below the package's `catalog/` to text."""
    found = _content(manifest, tools, meta, disclosed)
    return {path: _text(header, value) for path, value in found}


def _text(header: str, value: Json | list[str]) -> str:
    """An object, or lines that are ready; the header is the first line of both."""
    first = '{"//": ' + json_text(header)
    if isinstance(value, list):
        return "\n".join([f"{first}}}", *value]) + "\n"
    return f"{first},\n" + json_text(value, indent=2).removeprefix("{\n") + "\n"


def _content(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    disclosed: Disclosed,
) -> Iterator[tuple[str, Json | list[str]]]:
    yield "server.json", _server(manifest, meta, disclosed)
    yield "names.json", _names(manifest)
    yield from _search(manifest, tools)
    yield from search_index(manifest, tools)
    yield "inventory.jsonl", [_page(page) for page in disclosed.pages]
    entries: dict[str, list[str]] = {}
    for tool in tools:
        entries.setdefault(manifest.tools[tool.name].category, []).append(tool.line)
    for category, pages in disclosed.by_category.items():
        lines = [*(_page(page) for page in pages), *entries.get(category, [])]
        yield f"categories/{file_stem(category)}.jsonl", lines


def _server(manifest: Manifest, meta: Sequence[MetaToolPlan], disclosed: Disclosed) -> Json:
    server, disclosure = manifest.server, manifest.disclosure
    inventory = {t.role: t.name for t in meta if t.role in ("capabilities", "schema")}
    rest = rest_tokens(inventory.get("schema", ""))
    return {
        "catalog": CATALOG_FORMAT,
        "name": server.name,
        "version": server.version,
        "title": server.title,
        "instructions": disclosed.instructions,
        "implementation": server.implementation,
        "exposure": disclosed.exposure,
        "default_view": disclosed.default_view,
        "format": disclosure.format,
        "unknown_parameters": disclosure.unknown_parameters,
        "unlisted_calls": disclosure.unlisted_calls,
        "hot": disclosed.hot,
        "search": disclosure.search,
        "hits": {"tokens": budget_of(manifest, "hits"), "next": rest},
        **execution_facts(manifest),
        "runners": {tool.name: list(tool.effects) for tool in meta if tool.effects},
        "inventory": inventory,
        "meta_tools": [tool.definition for tool in meta],
    }


def _names(manifest: Manifest) -> Json:
    """Name to the file of its category, and every other way to say a name."""
    others: dict[str, str] = {}
    for name, tool in manifest.tools.items():
        others |= dict.fromkeys(tool.aliases, name)
        others[manifest.id_of(name)] = name
    return {
        "tools": {name: file_stem(tool.category) for name, tool in manifest.tools.items()},
        "categories": {name: file_stem(name) for name in manifest.categories},
        "others": others,
    }


def _search(
    manifest: Manifest, tools: Sequence[ToolPlan]
) -> Iterator[tuple[str, Json | list[str]]]:
    """What search knows of each tool besides words: a line each, in the order of their numbers."""
    servers = _numbered(server_of(manifest, name) for name in manifest.tools)
    categories = _numbered(manifest.categories)
    yield (
        "search/names.json",
        {
            "server": [[name] for name in servers],
            "category": [[n, c.title or n] for n, c in manifest.categories.items()],
        },
    )
    rows = []
    for planned in tools:
        tool = manifest.tools[planned.name]
        server = servers[server_of(manifest, planned.name)]
        head = [planned.name, server, categories[tool.category], tool.effect, tool.tags]
        rows.append(json_text([*head, planned.hits[:-1], planned.hit_tokens]))
    yield "search/tools.jsonl", rows


def _numbered(names: Iterable[str]) -> dict[str, int]:
    """Names in the order in which they are first said, with their numbers."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _page(page: Page) -> str:
    ask = page.ask
    return json_text(
        {
            "view": f"{ask.detail} {ask.format} {ask.page}",
            "pages": ask.pages,
            "tokens": page.tokens,
            "text": page.text,
        }
    )
