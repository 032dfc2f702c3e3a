"""The baked catalog: what the runtime reads, as text by file."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from toolfold_runtime.contract import files
from toolfold_runtime.contract.codec import encode
from toolfold_runtime.contract.files import Names
from toolfold_runtime.contract.search import IndexedTool, NameRarities, RelatedLine, SearchNames
from toolfold_runtime.contract.server import CATALOG_FORMAT, SearchBudget, ServerFacts

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure.budgets import budget_of
from toolfold.plan.disclosure.execution import execution_of, has_result_budget, lifecycle_methods
from toolfold.plan.disclosure.exposure import Disclosed
from toolfold.plan.disclosure.meta_tools import runner_of
from toolfold.plan.model import MetaToolPlan, ToolPlan
from toolfold.plan.search.index import Index, name_rarities, vocabulary
from toolfold.plan.search.results import rest_tokens
from toolfold.plan.search.words import search_texts, server_of
from toolfold.plan.text.escape import json_text
from toolfold.plan.text.paths import file_stem

_Document: TypeAlias = ServerFacts | Names | SearchNames | NameRarities
#: A path below `catalog/`, and a document or the lines that stand there.
Baked: TypeAlias = tuple[str, _Document | list[str]]


def baked(
    manifest: Manifest,
    header: str,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    disclosed: Disclosed,
    index: Index,
) -> dict[str, str]:
    """Path below the package's `catalog/` to text."""
    contents: list[Baked] = [
        (files.SERVER, _server(manifest, tools, meta, disclosed)),
        (files.NAMES, _names(manifest, tools)),
        *_search(manifest, tools, index),
        *_meaning(manifest, tools, index),
        *_inventory(disclosed),
    ]
    return {path: _text(header, value) for path, value in contents}


def _text(header: str, value: _Document | list[str]) -> str:
    """A document, or lines that are ready; the header is the first line of both."""
    first = '{"//": ' + json_text(header)
    if isinstance(value, list):
        return "\n".join([f"{first}}}", *value]) + "\n"
    return f"{first},\n" + json_text(encode(value), indent=2).removeprefix("{\n") + "\n"


def _server(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    disclosed: Disclosed,
) -> ServerFacts:
    server, disclosure = manifest.server, manifest.disclosure
    names = {tool.role: tool.name for tool in meta}
    reader = runner_of(manifest, "read") or None
    return ServerFacts(
        catalog=CATALOG_FORMAT,
        name=server.name,
        version=server.version,
        title=server.title,
        instructions=disclosed.instructions,
        implementation=server.implementation,
        exposure=disclosed.exposure,
        default_view=disclosed.default_view,
        format=disclosure.format,
        unknown_parameters=disclosure.unknown_parameters,
        unlisted_calls=disclosure.unlisted_calls,
        search=disclosure.search,
        search_budget=SearchBudget(
            budget_of(manifest, "hits"), rest_tokens(names.get("schema", ""))
        ),
        execution=execution_of(manifest),
        hot=tuple(disclosed.hot),
        lifecycle=lifecycle_methods(tools),
        runners={tool.name: tool.effects for tool in meta if tool.effects},
        meta_tools=tuple(tool.definition for tool in meta),
        capabilities_tool=names.get("capabilities"),
        schema_tool=names.get("schema"),
        reader=reader,
        has_result_budget=reader is not None and has_result_budget(manifest, tools),
    )


def _names(manifest: Manifest, tools: Sequence[ToolPlan]) -> Names:
    """Name to the file of its category, and every other way to say a name."""
    others: dict[str, str] = {}
    for tool in tools:
        others |= dict.fromkeys(tool.aliases, tool.name)
        others[tool.id] = tool.name
    return Names(
        tools={tool.name: file_stem(tool.category) for tool in tools},
        categories={name: file_stem(name) for name in manifest.categories},
        others=others,
    )


def _search(manifest: Manifest, tools: Sequence[ToolPlan], index: Index) -> Iterator[Baked]:
    """What search knows: of each tool a line, in the order of their numbers; then of each word."""
    servers = _numbered(server_of(tool.id) for tool in tools)
    categories = _numbered(manifest.categories)
    titles = ((name, own.title or name) for name, own in manifest.categories.items())
    lines = (
        IndexedTool(
            tool.name,
            servers[server_of(tool.id)],
            categories[tool.category],
            tool.effect,
            tool.tags,
            tool.hits[:-1],
            tool.hit_tokens,
        )
        for tool in tools
    )
    yield files.SEARCH_NAMES, SearchNames(tuple((name,) for name in servers), tuple(titles))
    yield files.SEARCH_TOOLS, [json_text(line) for line in lines]
    yield files.SEARCH_RARITIES, name_rarities(index, tools)
    yield files.SEARCH_WORDS, index.words
    yield files.SEARCH_PAIRS, index.pairs
    yield files.SEARCH_GRAMS, index.grams


def _meaning(manifest: Manifest, tools: Sequence[ToolPlan], index: Index) -> Iterator[Baked]:
    if manifest.disclosure.search == "lexical" or not tools:
        return
    # Imported here: only these strategies need the packages behind it.
    from toolfold.plan.search.meaning import related, vectors

    texts = [search_texts(tool.name, manifest) for tool in tools]
    yield files.SEARCH_VECTORS, vectors(texts)
    near = related(texts, vocabulary(index))
    lines = (RelatedLine(word, near[word]) for word in sorted(near))
    yield files.SEARCH_RELATED, [json_text(line) for line in lines]


def _inventory(disclosed: Disclosed) -> Iterator[Baked]:
    """The views of all tools; then for each category its views, and a line per tool."""
    yield files.INVENTORY, disclosed.inventory
    for category, lines in disclosed.categories.items():
        yield files.category_file(file_stem(category)), [lines]


def _numbered(names: Iterable[str]) -> dict[str, int]:
    """Names in the order in which they are first said, with their numbers."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
