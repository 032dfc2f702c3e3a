"""The files of the catalog, which the runtime reads."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from toolfold_runtime.contract import files
from toolfold_runtime.contract.codec import encode
from toolfold_runtime.contract.files import Names
from toolfold_runtime.contract.prompt import Prompts
from toolfold_runtime.contract.resource import Resources
from toolfold_runtime.contract.search import IndexedTool, NameRarities, RelatedLine, SearchNames
from toolfold_runtime.contract.server import CATALOG_FORMAT, SearchBudget, ServerFacts
from toolfold_runtime.contract.summary import ToolSummary
from toolfold_runtime.contract.upstream import UpstreamServers

from toolfold.manifest.schema import Manifest, UsageFile
from toolfold.plan.disclosure.budgets import budget_of
from toolfold.plan.disclosure.deprecation import marked
from toolfold.plan.disclosure.execution import (
    execution_of,
    has_result_budget,
    lifecycle_methods,
)
from toolfold.plan.disclosure.exposure import Disclosure
from toolfold.plan.disclosure.meta_tools import runner_of
from toolfold.plan.disclosure.ranking import HotList, ranked
from toolfold.plan.disclosure.search_results import reserved_tokens
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.disclosure.truncate import truncated
from toolfold.plan.disclosure.views import Views, category_lines
from toolfold.plan.model import MetaToolPlan, ResourcesPrompts, ToolPlan
from toolfold.plan.search.index import IndexLines, index_of, mean_lengths, name_rarities
from toolfold.plan.search.words import search_texts, server_of
from toolfold.plan.source import tool_sources
from toolfold.plan.stubs.build import stub_types
from toolfold.plan.text.escape import json_text
from toolfold.plan.text.paths import file_stem

#: The content of a JSON file.
Document: TypeAlias = (
    ServerFacts | Names | SearchNames | NameRarities | Resources | Prompts | UpstreamServers
)
#: A path below `catalog/`, and a document or the lines of that file.
CatalogFile: TypeAlias = tuple[str, Document | list[str]]


def catalog_files(
    header: str,
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    facts: ServerFacts,
    disclosure: Disclosure,
    views: Views,
) -> dict[str, str]:
    """Path below the package's `catalog/` to text."""
    index = index_of([tool.words for tool in tools], mean_lengths(tools))
    contents: list[CatalogFile] = [
        (files.SERVER, facts),
        (files.NAMES, _names(manifest, tools)),
        *_search(manifest, tools, index),
        *_meaning(manifest, tools, index),
        (files.INVENTORY, disclosure.inventory),
        (files.SUMMARIES, list(_summaries(manifest, tools))),
        *_categories(manifest, tools, views),
        *_stubs(manifest, tools),
    ]
    return {path: catalog_text(header, value) for path, value in contents}


def resource_prompt_files(header: str, resources_prompts: ResourcesPrompts) -> dict[str, str]:
    """The files of resources and prompts, where there are any."""
    contents = {}
    if resources_prompts.resources:
        contents[files.RESOURCES] = catalog_text(header, Resources(resources_prompts.resources))
    if resources_prompts.prompts:
        contents[files.PROMPTS] = catalog_text(header, Prompts(resources_prompts.prompts))
    return contents


def server_facts(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    disclosure: Disclosure,
    hot_list: HotList,
    resources_prompts: ResourcesPrompts,
) -> ServerFacts:
    """Everything a server knows before it is asked about a tool."""
    server, settings = manifest.server, manifest.disclosure
    names = {tool.role: tool.name for tool in meta}
    reserved = reserved_tokens(names.get("schema", ""))
    reader = runner_of(manifest, "read") or None
    return ServerFacts(
        catalog=CATALOG_FORMAT,
        name=server.name,
        version=server.version,
        title=server.title,
        instructions=disclosure.instructions,
        implementation=server.implementation,
        exposure=disclosure.exposure,
        default_view=disclosure.default_view,
        format=settings.format,
        unknown_parameters=settings.unknown_parameters,
        unlisted_calls=settings.unlisted_calls,
        search=settings.search,
        search_budget=SearchBudget(budget_of(manifest, "hits"), reserved),
        execution=execution_of(manifest),
        hot=tuple(disclosure.hot),
        lifecycle=lifecycle_methods(tools),
        runners={t.name: t.effects for t in meta if t.effects and not t.runs_programs},
        program_tools={t.name: t.effects for t in meta if t.runs_programs},
        meta_tools=tuple(tool.definition for tool in meta),
        capabilities_tool=names.get("capabilities"),
        schema_tool=names.get("schema"),
        details=budget_of(manifest, "details"),
        reader=reader,
        has_result_budget=reader is not None and has_result_budget(manifest),
        has_upstreams=any(manifest.server_of(tool.name) for tool in tools),
        arguments=settings.arguments,
        has_generated_resources=resources_prompts.has_generated,
        has_resources=bool(resources_prompts.resources),
        has_prompts=bool(resources_prompts.prompts),
        hot_list=tuple(tool.name for tool in hot_list.tools),
        hot_by=hot_list.by,
        usage=_usage_of(manifest),
    )


def catalog_text(header: str, value: Document | list[str]) -> str:
    """A document, or lines that are ready; the header is the first line of both."""
    first = '{"//": ' + json_text(header)
    if isinstance(value, list):
        return "\n".join([f"{first}}}", *value]) + "\n"
    return f"{first},\n" + json_text(encode(value), indent=2).removeprefix("{\n") + "\n"


def _usage_of(manifest: Manifest) -> str | None:
    """The place of the usage store, as the manifest writes it; None where calls are not counted."""
    return manifest.usage.file if isinstance(manifest.usage, UsageFile) else manifest.usage


def _names(manifest: Manifest, tools: Sequence[ToolPlan]) -> Names:
    """The file of each tool's category, and every alias and id of a tool."""
    others: dict[str, str] = {}
    for tool in tools:
        others |= dict.fromkeys(manifest.tools[tool.name].aliases, tool.name)
        others[tool.id] = tool.name
    return Names(
        tools={tool.name: file_stem(tool.category) for tool in tools},
        categories={name: file_stem(name) for name in manifest.categories},
        others=others,
        pages={tool.name: stem for tool in tools if (stem := file_stem(tool.name)) != tool.name},
        descriptions={
            name: category.description
            for name, category in manifest.categories.items()
            if category.description
        },
    )


def _search(
    manifest: Manifest, tools: Sequence[ToolPlan], index: IndexLines
) -> Iterator[CatalogFile]:
    """The files of the search index: a line per tool, in the order of their numbers, and per word."""
    servers = _numbered(server_of(tool.id) for tool in tools)
    categories = _numbered(manifest.categories)
    titles = ((name, category.title or name) for name, category in manifest.categories.items())
    lines = (
        IndexedTool(
            tool.name,
            servers[server_of(tool.id)],
            categories[tool.category],
            tool.effect,
            tool.tags,
            [line for line in tool.result_lines if line != tool.name],
            tool.result_tokens,
            tool.deprecated is not None,
            tool.measured.score if tool.measured else None,
            tool.measured.latency_ms if tool.measured else None,
        )
        for tool in tools
    )
    yield files.SEARCH_NAMES, SearchNames(tuple((name,) for name in servers), tuple(titles))
    yield files.SEARCH_TOOLS, [json_text(line.row()) for line in lines]
    yield files.SEARCH_RARITIES, name_rarities(index, tools)
    yield files.SEARCH_WORDS, index.words
    yield files.SEARCH_PAIRS, index.pairs
    yield files.SEARCH_GRAMS, index.grams


def _meaning(
    manifest: Manifest, tools: Sequence[ToolPlan], index: IndexLines
) -> Iterator[CatalogFile]:
    if manifest.disclosure.search == "lexical" or not tools:
        return
    # Imported here: only these strategies need the packages behind it.
    from toolfold.plan.search.meaning import related, vectors

    texts = [search_texts(source, manifest.defs) for source in tool_sources(manifest).values()]
    yield files.SEARCH_VECTORS, vectors(texts)
    near = related(texts, list(index.tool_counts))
    lines = (RelatedLine(word, near[word]) for word in sorted(near))
    yield files.SEARCH_RELATED, [json_text(line) for line in lines]


def _summaries(manifest: Manifest, tools: Sequence[ToolPlan]) -> Iterator[str]:
    """A line per tool: category after category, the best of each first."""
    by_category: dict[str, list[ToolPlan]] = {name: [] for name in manifest.categories}
    for tool in tools:
        by_category[tool.category].append(tool)
    for members in by_category.values():
        for tool in ranked(members):
            yield json_text(encode(_summary(tool)))


def _summary(tool: ToolPlan) -> ToolSummary:
    summary = ToolSummary(
        name=tool.name,
        id=tool.id,
        category=tool.category,
        description=marked(truncated(tool.summary), tool.deprecated),
        params=tool.params,
        more_params=tool.more_params,
        returns=tool.returns,
        effect=tool.shown_effect,
        tier=tool.tier,
        measured=tool.measured,
        tokens=0,
        is_deprecated=tool.deprecated is not None,
    )
    return summary._replace(tokens=count(json_text(summary.shown())))


def _categories(
    manifest: Manifest, tools: Sequence[ToolPlan], views: Views
) -> Iterator[CatalogFile]:
    """For each category its views, then a line per tool."""
    entries: dict[str, list[str]] = {name: [] for name in manifest.categories}
    for tool in tools:
        entries[tool.category].append(tool.entry)
    for category, tool_entries in entries.items():
        lines = [*category_lines(views, category), *tool_entries]
        yield files.category_file(file_stem(category)), lines


def _stubs(manifest: Manifest, tools: Sequence[ToolPlan]) -> Iterator[CatalogFile]:
    """A line per tool and per definition, where programs are run."""
    if manifest.disclosure.code == "off":
        return
    yield files.STUBS, [json_text(encode(tool.stub)) for tool in tools if tool.stub is not None]
    yield (
        files.STUB_TYPES,
        [json_text(encode(stub_type)) for stub_type in stub_types(manifest.defs)],
    )


def _numbered(names: Iterable[str]) -> dict[str, int]:
    """Each distinct name with its number, in the order of first occurrence."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
