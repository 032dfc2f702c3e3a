"""The baked catalog: what the runtime reads, as plain data by file."""

from collections.abc import Iterator, Sequence

from toolfold_runtime.catalog import CATALOG_FORMAT

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure import Disclosed
from toolfold.plan.escape import file_stem
from toolfold.plan.model import Json, MetaToolPlan, ToolPlan
from toolfold.plan.views.cut import Page


def baked(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    disclosed: Disclosed,
) -> Iterator[tuple[str, Json | list[Json]]]:
    """Path below the package's `catalog/` to content: objects, and lists with a line per item."""
    yield "server.json", _server(manifest, meta, disclosed)
    yield "names.json", _names(manifest)
    yield "hits.json", {"hits": [[t.name, t.entry["hit"]] for t in tools]}
    yield "inventory.jsonl", [_page(page) for page in disclosed.pages]
    entries: dict[str, list[Json]] = {}
    for tool in tools:
        entries.setdefault(tool.entry["category"], []).append(tool.entry)
    for category, pages in disclosed.by_category.items():
        lines = [*(_page(page) for page in pages), *entries.get(category, [])]
        yield f"categories/{file_stem(category)}.jsonl", lines


def _server(manifest: Manifest, meta: Sequence[MetaToolPlan], disclosed: Disclosed) -> Json:
    server, disclosure = manifest.server, manifest.disclosure
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
        "runners": {tool.name: list(tool.effects) for tool in meta if tool.effects},
        "inventory": {t.role: t.name for t in meta if t.role in ("capabilities", "schema")},
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


def _page(page: Page) -> Json:
    ask = page.ask
    return {
        "view": f"{ask.detail} {ask.format} {ask.page}",
        "pages": ask.pages,
        "tokens": page.tokens,
        "text": page.text,
    }
