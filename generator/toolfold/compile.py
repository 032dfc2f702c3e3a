"""The compiler as one function: manifest files in, a mapping of path to text out.

Each step that costs much goes through the memo, which calls it only for inputs that the last run
did not have. Nothing below this module knows that results are stored.
"""

import gc
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolfold.emit.models.shapes import FieldTemplate, Shape
from toolfold.emit.models.worker import WORTH_A_PROCESS, Modeller, Progress
from toolfold.emit.modules import render_models, render_templates
from toolfold.emit.render import render
from toolfold.manifest.editor_schema import editor_schema
from toolfold.manifest.load import Loaded, load_with_problems
from toolfold.manifest.schema import Manifest
from toolfold.memo.memo import Kind, Memo
from toolfold.memo.store import Store
from toolfold.plan.catalog import Catalog, catalog_of, outline_of, plan_catalog
from toolfold.plan.disclosure.paginate import ViewPages, paginate
from toolfold.plan.disclosure.views import view_sources
from toolfold.plan.docs.category import CategoryPageSource, category_page, category_page_sources
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.pages import catalog_pages
from toolfold.plan.docs.tool import (
    ToolPageContext,
    ToolPageSource,
    tool_page,
    tool_page_context,
    tool_page_sources,
)
from toolfold.plan.model import (
    Plan,
    PlannedTool,
    ProtocolPlan,
    Summary,
    TemplateModule,
)
from toolfold.plan.models.model import ModelsModule
from toolfold.plan.package import package_modules, protocol_of
from toolfold.plan.source import tool_context, tool_sources
from toolfold.plan.text.paths import OutputPath, output_path
from toolfold.plan.tool import plan_tool

_TOOL: Final = Kind("tool", PlannedTool)
_VIEW: Final = Kind("view", ViewPages)
_PAGE: Final = Kind("page", str)
_MODULE: Final = Kind("module", str)
_SHAPE: Final = Kind("shape", FieldTemplate)


@dataclass(frozen=True)
class Compiled:
    """The files that a manifest generates, the inputs that were read, and the problems found."""

    files: dict[OutputPath, str]
    #: The digest of each file that was read, and the patterns that led to them.
    inputs: dict[Path, str]
    patterns: tuple[str, ...]
    summary: Summary


def compile_manifest(
    manifest: Path,
    way_back: str = "../..",
    store: Store | None = None,
    progress: Progress = lambda done, total: None,
) -> Compiled:
    """Everything `manifest` generates, without touching any output folder.

    `way_back` leads from the generated package to the manifest's folder, where the implementation
    is imported from. Raises ManifestError where the manifest is refused.
    """
    memo = Memo(store or Store())
    # The model generator works in a process of its own while the rest is planned.
    with (
        paused_collection(),
        ThreadPoolExecutor(1) as beside,
        closing(Modeller(progress)) as modeller,
    ):
        loaded = load_with_problems(manifest)
        if memo.is_empty and _modelled_tools(loaded.manifest) >= WORTH_A_PROCESS:
            modeller.start()
        catalog = plan_tools(loaded, memo)
        protocol = protocol_of(loaded.manifest, catalog.outline.package, catalog.tools)
        modules = beside.submit(_modules, catalog, protocol, way_back, modeller, memo)
        plan = plan_views(catalog, memo)
        files = _catalog_files(catalog, plan) | render_pages(catalog, plan, memo)
        files |= _editor_schema(catalog.outline.header, memo)
        files |= modules.result()
    patterns = (*loaded.manifest.include, *loaded.manifest.overlays)
    summary = Summary(plan.warnings, plan.facts.exposure, plan.costs, protocol)
    return Compiled(dict(sorted(files.items())), loaded.inputs, patterns, summary)


def plan_manifest(loaded: Loaded) -> Plan:
    """The plan of a manifest alone: its catalog, costs and warnings; nothing is rendered."""
    memo = Memo(Store())
    return plan_views(plan_tools(loaded, memo), memo)


def refuse_tools(loaded: Loaded) -> None:
    """Raise ManifestError where a manifest is refused for what one tool or several say by themselves."""
    plan_tools(loaded, Memo(Store()))


def plan_tools(loaded: Loaded, memo: Memo) -> Catalog:
    """The catalog of a manifest's tools, each planned by itself."""
    outline, manifest = outline_of(loaded), loaded.manifest
    sources = tool_sources(manifest, loaded.pins)
    tools = memo.each(_TOOL, sources, plan_tool, tool_context(manifest))
    return catalog_of(outline, list(tools.values()))


def plan_views(catalog: Catalog, memo: Memo) -> Plan:
    """The plan of what depends on all tools together: views, exposure, search, costs."""
    inventory = catalog.inventory
    sources = view_sources(catalog.outline.manifest, inventory)
    views = memo.each(_VIEW, sources, paginate, inventory.facts)
    return plan_catalog(catalog, views)


def _modelled_tools(manifest: Manifest) -> int:
    return sum(map(manifest.has_models, manifest.tools))


def _catalog_files(catalog: Catalog, plan: Plan) -> dict[OutputPath, str]:
    package = catalog.outline.package
    return {
        output_path(package, "catalog", *name.split("/")): text for name, text in plan.data.items()
    }


def render_pages(catalog: Catalog, plan: Plan, memo: Memo) -> dict[OutputPath, str]:
    """Every page of the docs; those whose source changed are rendered."""
    outline = catalog.outline
    facts = CatalogFacts(
        outline.manifest,
        outline.package,
        catalog.categories,
        outline.meta,
        plan.tools,
        plan.facts.exposure,
        plan.costs,
        plan.resources_prompts,
        catalog.hot_list,
        plan.facts.hot,
    )
    header = outline.header
    texts = {
        page.path: render(page.template, header=header, page=page.values)
        for page in catalog_pages(facts)
    }
    texts |= memo.each(_PAGE, category_page_sources(facts), _category_page, header)
    shared = (header, tool_page_context(facts))
    texts |= memo.each(_PAGE, tool_page_sources(facts), _tool_page, shared)
    return {output_path(*path.split("/")): text for path, text in texts.items()}


def _category_page(source: CategoryPageSource, header: str) -> str:
    return render("docs/category.md.jinja", header=header, page=category_page(source))


def _tool_page(source: ToolPageSource, shared: tuple[str, ToolPageContext]) -> str:
    header, context = shared
    return render("docs/tool.md.jinja", header=header, page=tool_page(source, context))


def _editor_schema(header: str, memo: Memo) -> dict[OutputPath, str]:
    path = output_path("manifest.schema.json")
    return memo.each(_PAGE, {path: header}, lambda text, _: editor_schema(text), None)


def _modules(
    catalog: Catalog, protocol: ProtocolPlan, way_back: str, modeller: Modeller, memo: Memo
) -> dict[OutputPath, str]:
    """Every Python module; models are rendered where their schemas changed."""

    def model_shapes(shapes: Mapping[str, Shape]) -> Mapping[str, FieldTemplate]:
        return memo.batch(_SHAPE, shapes, lambda missing, _: modeller.model(missing), None)

    def render_missing(modules: Sequence[ModelsModule], header: str) -> Sequence[str]:
        return render_models(modules, header, model_shapes)

    outline = catalog.outline
    modules = package_modules(outline.manifest, protocol, outline.meta, catalog.tools, way_back)
    models = {path: module for path, module in modules.items() if isinstance(module, ModelsModule)}
    # Never stored: no audit could tell a forged one.
    templates = {
        path: module for path, module in modules.items() if isinstance(module, TemplateModule)
    }
    texts = render_templates(list(templates.values()), outline.header)
    rendered = dict(zip(templates, texts, strict=True))
    return rendered | memo.batch(_MODULE, models, render_missing, outline.header)


@contextmanager
def paused_collection() -> Iterator[None]:
    """Pause the garbage collector, which would walk a growing plan again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
