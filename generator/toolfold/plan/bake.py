"""The baked catalog: what the runtime reads, as plain data by file."""

from collections.abc import Iterator, Sequence

from toolfold.manifest.schema import Manifest
from toolfold.plan import views
from toolfold.plan.escape import file_stem
from toolfold.plan.model import CategoryPlan, Json, MetaToolPlan, ToolPlan


def baked(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    categories: Sequence[CategoryPlan],
    meta: Sequence[MetaToolPlan],
) -> Iterator[tuple[str, Json | list[Json]]]:
    """Path below the package's `catalog/` to content: objects, and lists with a line per item."""
    yield "server.json", _server(manifest, meta)
    yield "names.json", _names(manifest)
    yield "inventory.json", _inventory(manifest, categories, meta)
    entries: dict[str, list[Json]] = {}
    for tool in tools:
        entries.setdefault(tool.entry["category"], []).append(tool.entry)
    for category, listed in entries.items():
        yield f"tools/{file_stem(category)}.jsonl", listed


def _server(manifest: Manifest, meta: Sequence[MetaToolPlan]) -> Json:
    server = manifest.server
    return {
        "name": server.name,
        "version": server.version,
        "title": server.title,
        "instructions": server.instructions or server.description,
        "implementation": server.implementation,
        "unknown_parameters": manifest.disclosure.unknown_parameters,
        "meta_tools": [tool.definition for tool in meta],
    }


def _names(manifest: Manifest) -> Json:
    """Name to the file of its category, and every other way to say a name."""
    others: dict[str, str] = {}
    for name, tool in manifest.tools.items():
        others |= dict.fromkeys(tool.aliases, name)
        others[tool.id or f"{manifest.server.name}::{name}"] = name
    files = {name: file_stem(tool.category) for name, tool in manifest.tools.items()}
    return {"tools": files, "others": others}


def _inventory(
    manifest: Manifest, categories: Sequence[CategoryPlan], meta: Sequence[MetaToolPlan]
) -> Json:
    lines = views.lines(manifest, meta)
    schema = next((tool.name for tool in meta if tool.role == "schema"), "")
    next_step = f"{schema}(tool)" if schema else ""
    return {
        "all": views.inventory(manifest, categories, lines, next_step),
        "categories": {
            c.name: views.inventory(manifest, [c], lines, next_step) for c in categories
        },
    }
