"""Manifest to Plan: every decision that templates will need, and every problem on the way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolfold_runtime.contract.search import MOST_TOOLS
from toolfold_runtime.search.meaning import has_semantic_extra

from toolfold.errors import ManifestError, in_file_order
from toolfold.manifest.glance import UnsureError
from toolfold.manifest.load import Loaded
from toolfold.manifest.schema import Manifest
from toolfold.memo.keys import content_key
from toolfold.plan.catalog_files import baked
from toolfold.plan.disclosure.exposure import disclose
from toolfold.plan.disclosure.meta_tools import meta_tools
from toolfold.plan.docs.facts import Documented
from toolfold.plan.docs.pages import pages
from toolfold.plan.kept import Kept, Texts, is_sound, keep_sound, planned_tools
from toolfold.plan.kept_index import search_lines
from toolfold.plan.model import CategoryPlan, HandlerPlan, ImportPlan, MetaToolPlan, Plan, ToolPlan
from toolfold.plan.names import python as naming
from toolfold.plan.names.check import check_names
from toolfold.plan.problems import Problems
from toolfold.plan.schemas.check import check_definitions
from toolfold.plan.search.retrieval import check_retrieval
from toolfold.plan.text.escape import docstring, python_literal
from toolfold.plan.text.header import header_for


@dataclass(frozen=True)
class Planned:
    """A manifest whose tools are planned; their models can be made while the rest is decided."""

    loaded: Loaded
    package: str
    meta: tuple[MetaToolPlan, ...]
    tools: tuple[ToolPlan, ...]
    texts: Texts
    problems: Problems
    kept: Kept | None


def build_plan(loaded: Loaded, root: str) -> Plan:
    """Decide everything that will be emitted.

    `root` leads from the generated package to the manifest's folder. Raises ManifestError with
    every problem; what only deserves a warning is kept in the plan.
    """
    return finish_plan(plan_tools(loaded), root)


def plan_tools(loaded: Loaded, kept: Kept | None = None) -> Planned:
    """The first half of `build_plan`: every tool by itself; those of an earlier run are `kept`."""
    manifest = loaded.manifest
    problems = Problems(loaded.tree)
    problems.add(loaded.problems)
    _check_size(manifest, problems)
    package = manifest.server.package or naming.package_name(manifest.server.name)
    meta = tuple(meta_tools(manifest))
    if not loaded.is_glance:
        check_names(manifest, meta, package, problems)
    _check_search(manifest, problems)
    check_definitions(manifest.defs, problems.reporter(is_foreign=False))
    texts = Texts(loaded, kept)
    tools = tuple(planned_tools(loaded, problems, texts, kept))
    _raise_errors(problems)
    if kept and loaded.is_glance and not is_sound(tools, kept):
        raise UnsureError
    if kept and not loaded.is_glance:
        keep_sound(loaded, tools, kept)
    return Planned(loaded, package, meta, tools, texts, problems, kept)


def finish_plan(planned: Planned, root: str) -> Plan:
    """The second half: what depends on all tools together."""
    manifest, problems = planned.loaded.manifest, planned.problems
    tools, meta, package = planned.tools, planned.meta, planned.package
    categories = _categories(manifest, tools, meta)
    disclosed = disclose(manifest, tools, categories, meta, planned.texts, planned.kept, problems)
    _raise_errors(problems)
    header = header_for(planned.loaded.name, package)
    index = search_lines(tools, planned.texts, planned.kept)
    data = baked(manifest, header, tools, meta, disclosed, index)
    check_retrieval(manifest, tools, data, problems)
    return Plan(
        key=content_key(planned.kept.shared, root) if planned.kept else "",
        header=header,
        package=package,
        docstring=docstring(f"MCP server: {manifest.server.title or manifest.server.name}."),
        root=python_literal(root),
        handlers=tuple(_handlers(meta)),
        server_imports=tuple(_server_imports(meta)),
        tools=tools,
        imports=tuple(_imports(tools)),
        handler_types=_handler_types(tools),
        data=data,
        pages=tuple(
            pages(
                Documented(
                    manifest,
                    package,
                    categories,
                    meta,
                    tools,
                    disclosed.exposure,
                    disclosed.costs,
                )
            )
        ),
        exposure=disclosed.exposure,
        costs=tuple(disclosed.costs),
        warnings=in_file_order(problems.found),
    )


def _check_search(manifest: Manifest, problems: Problems) -> None:
    strategy = manifest.disclosure.search
    if strategy != "lexical" and not has_semantic_extra():
        fact = f"search: {strategy} needs the extra `semantic`"
        hint = "pip install 'toolfold[semantic]', or choose lexical"
        problems.error(("disclosure", "search"), fact, hint, "extra")


def _check_size(manifest: Manifest, problems: Problems) -> None:
    """Refuse what the index cannot number, before planning it for minutes."""
    if len(manifest.tools) > MOST_TOOLS:
        fact = f"{len(manifest.tools):,} tools; search can tell {MOST_TOOLS:,} apart"
        problems.error(("tools",), fact, "split the manifest into several servers", "size")
        _raise_errors(problems)


def _raise_errors(problems: Problems) -> None:
    if problems.errors:
        raise ManifestError(p for p in problems.found if p.severity == "error")


def _categories(
    manifest: Manifest, tools: Sequence[ToolPlan], meta: Sequence[MetaToolPlan]
) -> list[CategoryPlan]:
    members: dict[str, list[str]] = {name: [] for name in manifest.categories}
    for tool in tools:
        members[tool.category].append(tool.name)
    for meta_tool in meta:
        if meta_tool.category is not None:
            members[meta_tool.category].append(meta_tool.name)
    return [
        CategoryPlan(name, category.title or name, category.description or "", tuple(members[name]))
        for name, category in manifest.categories.items()
    ]


def _handlers(meta: Sequence[MetaToolPlan]) -> Iterator[HandlerPlan]:
    for tool in meta:
        if tool.module is not None:
            yield HandlerPlan(tool.module, python_literal(tool.name))


def _server_imports(meta: Sequence[MetaToolPlan]) -> list[str]:
    modules = {tool.module: tool.module for tool in meta if tool.module} | {"catalog": "CATALOG"}
    return [f"from .{module} import {name}" for module, name in sorted(modules.items())]


def _handler_types(tools: Sequence[ToolPlan]) -> str:
    needs_anything = any(tool.result_class is None for tool in tools)
    return "Anything, MaybeAwaitable" if needs_anything else "MaybeAwaitable"


def _imports(tools: Sequence[ToolPlan]) -> Iterator[ImportPlan]:
    for tool in sorted(tools, key=lambda tool: tool.module):
        names = [tool.params_class, *([tool.result_class] if tool.result_class else [])]
        yield ImportPlan(tool.module, ", ".join(names))
