"""The baked catalog: what the runtime reads, as text by file."""

from collections.abc import Iterable, Iterator, Sequence

from toolfold_runtime.catalog.catalog import CATALOG_FORMAT

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure.budgets import budget_of
from toolfold.plan.disclosure.execution import execution_facts
from toolfold.plan.disclosure.exposure import Disclosed
from toolfold.plan.model import Json, MetaToolPlan, ToolPlan
from toolfold.plan.search.index import Index, name_rarities, vocabulary
from toolfold.plan.search.results import rest_tokens
from toolfold.plan.search.words import search_texts, server_of
from toolfold.plan.text.escape import json_text
from toolfold.plan.text.paths import file_stem

#: A path below `catalog/`, and an object or the lines that stand there.
Baked = tuple[str, Json | list[str]]


def baked(
    manifest: Manifest,
    header: str,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    disclosed: Disclosed,
    index: Index,
) -> dict[str, str]:
    """Path below the package's `catalog/` to text."""
    found = [
        ("server.json", _server(manifest, tools, meta, disclosed)),
        ("names.json", _names(manifest, tools)),
        *_search(manifest, tools, index),
        *_meaning(manifest, tools, index),
        *_inventory(disclosed),
    ]
    return {path: _text(header, value) for path, value in found}


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
    disclosed: Disclosed,
) -> Json:
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


def _search(manifest: Manifest, tools: Sequence[ToolPlan], index: Index) -> Iterator[Baked]:
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
                    tool.hits[:-1],
                    tool.hit_tokens,
                ]
            )
            for tool in tools
        ],
    )
    yield "search/rarities.json", {"names": name_rarities(index, tools)}
    yield "search/words.jsonl", index.words
    yield "search/pairs.jsonl", index.pairs
    yield "search/grams.jsonl", index.grams


def _meaning(manifest: Manifest, tools: Sequence[ToolPlan], index: Index) -> Iterator[Baked]:
    if manifest.disclosure.search == "lexical" or not tools:
        return
    # Imported here: only these strategies need the packages behind it.
    from toolfold.plan.search.meaning import related, vectors

    texts = [search_texts(tool.name, manifest) for tool in tools]
    yield "search/vectors.jsonl", [json_text(vector) for vector in vectors(texts)]
    near = related(texts, vocabulary(index))
    yield "search/related.jsonl", [json_text([word, near[word]]) for word in sorted(near)]


def _inventory(disclosed: Disclosed) -> Iterator[Baked]:
    """The views of all tools; then for each category its views, and a line per tool."""
    yield "inventory.jsonl", disclosed.inventory
    for category, lines in disclosed.categories.items():
        yield f"categories/{file_stem(category)}.jsonl", [lines]


def _numbered(names: Iterable[str]) -> dict[str, int]:
    """Names in the order in which they are first said, with their numbers."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
