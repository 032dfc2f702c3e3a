"""Meta-tools: the tools that disclose other tools, as they are served."""

from collections.abc import Iterator
from typing import Final

from toolfold.manifest.schema import Manifest, MetaTool
from toolfold.plan.model import Json, MetaToolPlan

# A role's handler module, which is also its default name.
_MODULES: Final = {"capabilities": "capabilities", "schema": "tool_schema"}
_SUMMARIES: Final = {"capabilities": "This inventory", "schema": "Schema of a tool"}
_TITLES: Final = {"capabilities": "Capabilities", "schema": "Tool schema"}
_ANNOTATIONS: Final = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}


def meta_tools(manifest: Manifest) -> Iterator[MetaToolPlan]:
    """The meta-tools that are switched on, in the order in which they are listed."""
    entries = manifest.disclosure.meta
    for role, entry in (("capabilities", entries.capabilities), ("schema", entries.schema_)):
        if not isinstance(entry, MetaTool):
            continue
        name = entry.name or manifest.server.prefix + _MODULES[role]
        yield MetaToolPlan(
            role=role,
            module=_MODULES[role],
            name=name,
            summary=entry.summary or _SUMMARIES[role],
            category=entry.category,
            example=entry.example,
            definition=_definition(manifest, role, name),
        )


def default_meta_names() -> list[str]:
    """The names that meta-tools have where a manifest says nothing else."""
    return [*_MODULES.values(), "search_tools", "run_read", "run_write", "run_tool"]


def _definition(manifest: Manifest, role: str, name: str) -> Json:
    title = manifest.server.title or manifest.server.name
    return {
        "name": name,
        "title": f"{_TITLES[role]}: {title}",
        "description": _description(role, title),
        "inputSchema": _input_schema(role),
        "annotations": _ANNOTATIONS,
        "_meta": {"anthropic/alwaysLoad": True},
    }


def _description(role: str, title: str) -> str:
    if role == "capabilities":
        return f"What {title} can do: its tools by category, one line each. Start here."
    return "Parameters and returns of one tool; ask before its first call."


def _input_schema(role: str) -> Json:
    if role == "capabilities":
        # No enum of categories: the surface must not grow with the catalog.
        return {"type": "object", "properties": {"category": {"type": "string"}}}
    return {"type": "object", "properties": {"tool": {"type": "string"}}, "required": ["tool"]}
