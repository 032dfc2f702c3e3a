"""The catalog: what depends on all tools together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from toolfold_runtime.contract.search import MOST_TOOLS
from toolfold_runtime.search.meaning import has_semantic_extra

from toolfold.errors import Problem, in_file_order
from toolfold.manifest.hints import nearest
from toolfold.manifest.load import Loaded
from toolfold.manifest.schema import Manifest
from toolfold.plan.catalog_files import catalog_files, resource_prompt_files, server_facts
from toolfold.plan.disclosure.exposure import plan_disclosure
from toolfold.plan.disclosure.inventory import Inventory, inventory_of
from toolfold.plan.disclosure.meta_tools import meta_tools
from toolfold.plan.disclosure.ranking import HotList, hot_list, ranked
from toolfold.plan.disclosure.views import Views
from toolfold.plan.findings import Findings, refuse_errors
from toolfold.plan.model import CategoryPlan, MetaToolPlan, Plan, PlannedTool, ToolPlan
from toolfold.plan.models.cycles import check_cycles
from toolfold.plan.names import identifiers as naming
from toolfold.plan.names.check import check_names
from toolfold.plan.operations import schema_files
from toolfold.plan.resources_prompts.build import (
    check_resources_prompts,
    resources_prompts_of,
)
from toolfold.plan.schemas.check import check_definitions
from toolfold.plan.schemas.shared import authored_definitions
from toolfold.plan.search.retrieval import check_retrieval
from toolfold.plan.text.header import header_for
from toolfold.plan.upstreams import upstream_files


@dataclass(frozen=True)
class Outline:
    """A manifest with what is decided before any tool is planned."""

    loaded: Loaded
    package: str
    header: str
    meta: tuple[MetaToolPlan, ...]
    findings: Findings

    @property
    def manifest(self) -> Manifest:
        """The manifest."""
        return self.loaded.manifest


def outline_of(loaded: Loaded) -> Outline:
    """Names, meta-tools and definitions, checked; ManifestError where there are too many tools."""
    manifest, findings = loaded.manifest, Findings()
    _check_size(manifest, findings)
    refuse_errors(finding.placed(loaded.tree) for finding in findings.all)
    package = manifest.server.package or naming.package_name(manifest.server.name)
    meta = tuple(meta_tools(manifest))
    definitions = authored_definitions(manifest)
    check_names(manifest, loaded.tree, meta, package, definitions, findings)
    _check_search(manifest, findings)
    _check_replacements(loaded, findings)
    check_resources_prompts(manifest, loaded.tree, findings)
    check_definitions(definitions, findings)
    check_cycles(definitions, findings)
    return Outline(loaded, package, header_for(loaded.name, package), meta, findings)


@dataclass(frozen=True)
class Catalog:
    """A manifest whose tools are planned, none of them refused."""

    outline: Outline
    tools: tuple[ToolPlan, ...]

    @cached_property
    def categories(self) -> list[CategoryPlan]:
        """The categories in order, each with its tools, the best first, and meta-tools."""
        categories = self.outline.manifest.categories
        members: dict[str, list[str]] = {name: [] for name in categories}
        for tool in ranked(self.tools):
            members[tool.category].append(tool.name)
        for meta_tool in self.outline.meta:
            if meta_tool.category is not None:
                members[meta_tool.category].append(meta_tool.name)
        return [
            CategoryPlan(
                name, category.title or name, category.description or "", tuple(members[name])
            )
            for name, category in categories.items()
        ]

    @cached_property
    def hot_list(self) -> HotList:
        """The tools to show first."""
        return hot_list(self.tools, self.outline.manifest.disclosure.quick_actions.values())

    @cached_property
    def inventory(self) -> Inventory:
        """The tools and categories that views list."""
        outline = self.outline
        return inventory_of(
            outline.manifest, self.tools, self.categories, outline.meta, self.hot_list
        )


def catalog_of(outline: Outline, tools: Sequence[PlannedTool]) -> Catalog:
    """The catalog of planned tools; ManifestError with every error so far."""
    for tool in tools:
        outline.findings.all.extend(tool.findings)
    refuse_errors(_problems(outline))
    return Catalog(outline, tuple(tool.plan for tool in tools if tool.plan is not None))


def plan_catalog(catalog: Catalog, views: Views) -> Plan:
    """Decide how the catalog is disclosed and write its files; ManifestError where a budget fails."""
    outline, tools = catalog.outline, catalog.tools
    manifest, meta, findings = outline.manifest, outline.meta, outline.findings
    disclosure = plan_disclosure(manifest, tools, meta, catalog.inventory, views, findings)
    refuse_errors(_problems(outline))
    resources_prompts = resources_prompts_of(manifest, tools, meta, disclosure.hot)
    hot = catalog.hot_list
    facts = server_facts(manifest, tools, meta, disclosure, hot, resources_prompts)
    data = catalog_files(outline.header, manifest, tools, facts, disclosure, views)
    data |= upstream_files(outline.header, outline.loaded)
    data |= schema_files(outline.header, manifest, tools)
    data |= resource_prompt_files(outline.header, resources_prompts)
    check_retrieval(manifest, tools, data, findings)
    warnings = in_file_order(_problems(outline))
    return Plan(facts, disclosure.tools, tuple(disclosure.costs), data, warnings, resources_prompts)


def _problems(outline: Outline) -> Iterator[Problem]:
    """Everything found so far, at its place."""
    yield from outline.loaded.problems
    for finding in outline.findings.all:
        yield finding.placed(outline.loaded.tree)


def _check_search(manifest: Manifest, findings: Findings) -> None:
    strategy = manifest.disclosure.search
    if strategy != "lexical" and not has_semantic_extra():
        fact = f"search: {strategy} needs the extra `semantic`"
        hint = "pip install 'toolfold[semantic]', or choose lexical"
        findings.error(("disclosure", "search"), fact, hint, "extra")


def _check_replacements(loaded: Loaded, findings: Findings) -> None:
    """Report deprecated tools whose replacement is the tool itself, unknown, or deprecated too."""
    tools = loaded.manifest.tools
    for name, tool in tools.items():
        use = tool.deprecation.use if tool.deprecation else None
        if use is None:
            continue
        path = ("tools", name, "deprecated", "use")
        following = tools[use].deprecation if use in tools else None
        if use == name:
            hint = "name another tool, or write `deprecated: true`"
            findings.error(path, "a tool cannot replace itself", hint, "deprecated")
        elif use not in loaded.tree["tools"]:
            hint = nearest(use, list(tools)) or "name a tool of this manifest, or leave `use` out"
            findings.warning(path, f'unknown tool "{use}"', hint, "deprecated")
        elif following:
            is_better = following.use in tools and following.use != name
            hint = f'name "{following.use}"' if is_better else "name a tool that is in use"
            findings.warning(path, f'"{use}" is deprecated itself', hint, "deprecated")


def _check_size(manifest: Manifest, findings: Findings) -> None:
    """Refuse what the index cannot number, before planning it for minutes."""
    if len(manifest.tools) > MOST_TOOLS:
        fact = f"{len(manifest.tools):,} tools; search can tell {MOST_TOOLS:,} apart"
        findings.error(("tools",), fact, "split the manifest into several servers", "size")
