"""What one tool is planned from: itself, and what the manifest says for all tools."""

from dataclasses import dataclass

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.server import run_step
from toolfold_runtime.contract.vocabulary import EFFECTS, Effect, Format

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.disclosure.meta_tools import runner_of


@dataclass(frozen=True)
class ToolSource:
    """A tool as the manifest declares it, with what other entries say about it."""

    name: str
    tool: Tool
    id: str
    category_title: str


@dataclass(frozen=True)
class ToolContext:
    """What the planning of every tool may read besides the tool."""

    definitions: dict[str, Json]
    format: Format
    #: Effect to the next step that runs tools which are not listed; empty where nothing does.
    run_steps: dict[Effect, str]


def tool_sources(manifest: Manifest) -> dict[str, ToolSource]:
    """The source of every tool by its name."""
    # A category that is unknown is reported elsewhere.
    titles = {name: category.title or "" for name, category in manifest.categories.items()}
    return {
        name: ToolSource(name, tool, manifest.id_of(name), titles.get(tool.category, ""))
        for name, tool in manifest.tools.items()
    }


def tool_context(manifest: Manifest) -> ToolContext:
    """What all tools of a manifest share."""
    form = manifest.disclosure.arguments
    steps = {effect: run_step(runner_of(manifest, effect), form) for effect in EFFECTS}
    return ToolContext(manifest.defs, manifest.disclosure.format, steps)
