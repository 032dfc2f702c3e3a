"""Meta-tools: the tools that disclose other tools, as they are served."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.server import runner_for
from toolfold_runtime.contract.vocabulary import (
    DETAILS,
    FORMATS,
    TOOL_DETAILS,
    ArgumentsForm,
    Effect,
)

from toolfold.manifest.schema import Manifest, MetaTool
from toolfold.plan.disclosure.signature import signature
from toolfold.plan.model import MetaToolPlan

_STRING: Final = {"type": "string"}
_ARGUMENTS: Final[dict[ArgumentsForm, Json]] = {
    # Without this, some clients send an empty object.
    "object": {"type": "object", "additionalProperties": True},
    "json": {"type": "string", "description": "JSON object"},
}
_RUN: Final[Json] = {
    "type": "object",
    "properties": {
        "tool": _STRING,
        "arguments": _ARGUMENTS["object"],
        "fields": {"description": "Keep only these: id,author.name"},
        "cursor": _STRING,
    },
    "required": ["tool"],
}


@dataclass(frozen=True)
class _Role:
    """What a meta-tool of a role is like where the manifest says nothing else."""

    name: str
    module: str | None
    title: str
    summary: str
    description: str
    schema: Json
    effects: tuple[Effect, ...] = ()


_ROLES: Final = {
    "capabilities": _Role(
        "capabilities",
        "capabilities",
        "Capabilities",
        "This inventory",
        "What this server can do. Start here.",
        {
            "type": "object",
            "properties": {
                "category": _STRING,
                "detail": {"enum": list(DETAILS)},
                "page": {"type": "integer"},
                "format": {"enum": list(FORMATS)},
            },
        },
    ),
    "schema": _Role(
        "tool_schema",
        "tool_schema",
        "Tool schema",
        "Schema of a tool",
        "Parameters of a tool, or of several with commas. Ask before a first call.",
        {
            "type": "object",
            "properties": {"tool": _STRING, "detail": {"enum": list(TOOL_DETAILS)}},
            "required": ["tool"],
        },
    ),
    "search": _Role(
        "search_tools",
        "search_tools",
        "Search tools",
        "Find tools by words",
        "Find tools by what they do.",
        {
            "type": "object",
            "properties": {"query": _STRING, "limit": {"type": "integer"}},
            "required": ["query"],
        },
    ),
    "run_read": _Role(
        "run_read",
        None,
        "Run a reading tool",
        "Run a tool that reads",
        "Run a tool whose effect is read.",
        _RUN,
        ("read",),
    ),
    "run_write": _Role(
        "run_write",
        None,
        "Run a writing tool",
        "Run a tool that writes",
        "Run any other tool.",
        _RUN,
        ("read", "write", "destructive"),
    ),
    "run": _Role(
        "run_tool",
        None,
        "Run a tool",
        "Run any tool",
        "Run a tool.",
        _RUN,
        ("read", "write", "destructive"),
    ),
}


def meta_tools(manifest: Manifest) -> Iterator[MetaToolPlan]:
    """The meta-tools that are switched on, in the order in which they are listed."""
    entries = manifest.disclosure.meta
    runners = ("run",) if entries.run is not None else ("run_read", "run_write")
    for role in ("capabilities", "schema", "search", *runners):
        entry = getattr(entries, "schema_" if role == "schema" else role)
        if isinstance(entry, MetaTool):
            yield _planned(manifest, role, entry)


def runner_of(manifest: Manifest, effect: Effect) -> str:
    """The served name of the runner that runs tools of this effect; empty where none does."""
    return runner_for({tool.name: tool.effects for tool in meta_tools(manifest)}, effect)


def default_meta_names() -> list[str]:
    """The names that meta-tools have where a manifest says nothing else."""
    return [role.name for role in _ROLES.values()]


def _planned(manifest: Manifest, name: str, entry: MetaTool) -> MetaToolPlan:
    role = _ROLES[name]
    served = entry.name or manifest.server.prefix + role.name
    schema = _schema(role, manifest.disclosure.arguments)
    definition = Definition(
        name=served,
        title=f"{role.title} ({manifest.server.display_title})",
        description=role.description,
        input_schema=schema,
        annotations=_annotations(role),
        meta={"anthropic/alwaysLoad": True},
    )
    return MetaToolPlan(
        role=name,
        module=role.module,
        name=served,
        summary=entry.summary or role.summary,
        category=entry.category,
        example=entry.example,
        signature=signature(served, schema, None),
        effects=role.effects,
        definition=definition,
    )


def _schema(role: _Role, form: ArgumentsForm) -> Json:
    """The parameters of a meta-tool; enums get their type, which some clients insist on."""
    properties: dict[str, Any] = {
        key: {"type": "string", **value} for key, value in role.schema["properties"].items()
    }
    if role.effects:
        properties["arguments"] = _ARGUMENTS[form]
    return role.schema | {"properties": properties}


def _annotations(role: _Role) -> Json:
    writes = set(role.effects) - {"read"}
    return {
        "readOnlyHint": not writes,
        "destructiveHint": bool(writes),
        "idempotentHint": not writes,
        "openWorldHint": False,
    }
