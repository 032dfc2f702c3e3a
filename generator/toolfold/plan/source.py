"""The inputs of planning one tool: the tool itself, and what all tools share."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.server import run_step
from toolfold_runtime.contract.upstream import UpstreamTool
from toolfold_runtime.contract.vocabulary import EFFECTS, Effect, Format
from toolfold_runtime.upstream.pins import digest

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.disclosure.budgets import budget_of
from toolfold.plan.disclosure.meta_tools import meta_tools, runner_of
from toolfold.plan.schemas.validation_cost import DefinitionChecks


@dataclass(frozen=True)
class ToolSource:
    """A tool as the manifest declares it, with what other entries say about it."""

    name: str
    tool: Tool
    id: str
    category_title: str
    #: The tool of another server that carries it out, and the digest of what that was when imported.
    upstream: UpstreamTool | None = None
    pin: str = ""


@dataclass(frozen=True)
class ToolContext:
    """The data that the planning of every tool may read besides the tool."""

    definitions: dict[str, Json]
    format: Format
    #: Effect to the next step that runs tools which are not listed; empty where nothing does.
    run_steps: dict[Effect, str]
    #: Tokens of one answer with schemas, and the meta-tool that gives it; empty where that is off.
    details: int
    schema_tool: str
    #: Whether agents may run programs, so that every tool needs a stub.
    has_programs: bool = False

    @cached_property
    def checks(self) -> DefinitionChecks:
        """The validation costs of schemas that share the manifest's definitions."""
        return DefinitionChecks(self.definitions)


def tool_sources(
    manifest: Manifest, pins: Mapping[str, Json] = MappingProxyType({})
) -> dict[str, ToolSource]:
    """The source of every tool by its name; `pins` are the definitions that were imported."""
    # A category that is unknown is reported elsewhere.
    titles = {name: category.title or "" for name, category in manifest.categories.items()}
    return {
        name: ToolSource(
            name,
            tool,
            manifest.id_of(name),
            titles.get(tool.category, ""),
            manifest.upstream_of(name),
            digest(pins[name]) if name in pins else "",
        )
        for name, tool in manifest.tools.items()
    }


def tool_context(manifest: Manifest) -> ToolContext:
    """The context of a manifest's tools."""
    arguments = manifest.disclosure.arguments
    steps = {effect: run_step(runner_of(manifest, effect), arguments) for effect in EFFECTS}
    schema = next((tool.name for tool in meta_tools(manifest) if tool.role == "schema"), "")
    details = budget_of(manifest, "details")
    has_programs = manifest.disclosure.code != "off"
    form = manifest.disclosure.format
    return ToolContext(manifest.defs, form, steps, details, schema, has_programs)
