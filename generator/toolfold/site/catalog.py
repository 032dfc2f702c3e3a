"""`catalog.json`: the catalog for programs, from what was baked for the server."""

from collections.abc import Sequence

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import StartError

from toolfold.errors import UsageError
from toolfold.plan.docs.links import tool_page_path
from toolfold.plan.text.escape import json_text


def catalog_json(catalogs: Sequence[Catalog]) -> str:
    """Every tool of some catalogs with its schemas, one line each inside one JSON document."""
    try:
        head = json_text({"unit": "o200k tokens", "servers": [_server(c) for c in catalogs]})
    except StartError as error:
        raise UsageError(str(error)) from None
    entries = [c.entry(name) for c in catalogs for name in sorted(c.names())]
    return f'{head[:-1]},"tools":[\n' + ",\n".join(map(json_text, map(_tool, entries))) + "\n]}\n"


def _server(catalog: Catalog) -> Json:
    facts = catalog.facts
    return {
        "name": facts.name,
        "version": facts.version,
        "title": facts.title,
        "exposure": facts.exposure,
        "format": facts.format,
        "metaTools": [definition.listed() for definition in facts.meta_tools],
    }


def _tool(entry: ToolEntry) -> Json:
    page = tool_page_path(entry.name)
    return {
        **entry.definition.listed(),
        "category": entry.category,
        "effect": entry.effect,
        "signature": entry.signature,
        **({"content": entry.content} if entry.content else {}),
        "page": page.removesuffix(".md") + ".html",
        "markdown": page,
    }
