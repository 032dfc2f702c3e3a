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
    STUB_DETAIL,
    TOOL_DETAILS,
    ArgumentsForm,
    Effect,
)

from toolfold.manifest.schema import CodeMode, Manifest, MetaTool
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
    """A meta-tool before the manifest renames or places it."""

    name: str
    module: str | None
    title: str
    summary: str
    description: str
    schema: Json
    #: Of the tools that it runs.
    effects: tuple[Effect, ...] = ()
    #: Whether it runs programs that call these tools, and not one of them.
    runs_programs: bool = False


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
    "code": _Role(
        "run_code",
        None,
        "Run a program that reads",
        "Run a program that calls tools",
        'Run Python in which tools that read are functions: `rows = find(query="x")`. Arguments by'
        " keyword; no import, no await. The last expression is the answer: filter, join and count"
        " instead of reading everything. Types are checked before anything is called",
        {"type": "object", "properties": {"code": _STRING}, "required": ["code"]},
        ("read",),
        runs_programs=True,
    ),
    "code_write": _Role(
        "run_code_write",
        None,
        "Run a program that writes",
        "Run a program that changes things",
        "Run Python in which every tool is a function, also those that write",
        {"type": "object", "properties": {"code": _STRING}, "required": ["code"]},
        ("read", "write", "destructive"),
        runs_programs=True,
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


_PROGRAM_ROLES: Final[dict[CodeMode, tuple[str, ...]]] = {
    "off": (),
    "read": ("code",),
    "write": ("code", "code_write"),
}


def meta_tools(manifest: Manifest) -> Iterator[MetaToolPlan]:
    """The meta-tools that are switched on, in the order in which they are listed."""
    entries = manifest.disclosure.meta
    runners = ("run",) if entries.run is not None else ("run_read", "run_write")
    programs = _PROGRAM_ROLES[manifest.disclosure.code]
    for role in ("capabilities", "schema", "search", *runners, *programs):
        entry = getattr(entries, "schema_" if role == "schema" else role)
        if isinstance(entry, MetaTool):
            yield _planned(manifest, role, entry)


def runner_of(manifest: Manifest, effect: Effect) -> str:
    """The served name of the runner for tools of this effect; empty if there is none."""
    runners = {t.name: t.effects for t in meta_tools(manifest) if not t.runs_programs}
    return runner_for(runners, effect)


def default_meta_names() -> list[str]:
    """The default names of the meta-tools."""
    return [role.name for role in _ROLES.values()]


def _planned(manifest: Manifest, name: str, entry: MetaTool) -> MetaToolPlan:
    role = _ROLES[name]
    served = _served_name(manifest, name, entry)
    schema = _schema(role, manifest)
    definition = Definition(
        name=served,
        title=f"{role.title} ({manifest.server.display_title})",
        description=_description(role, manifest),
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
        runs_programs=role.runs_programs,
        definition=definition,
    )


def _description(role: _Role, manifest: Manifest) -> str:
    """The description of a meta-tool; that of `code_write` only says how it differs from `code`."""
    if not role.runs_programs:
        return role.description
    code, schema = manifest.disclosure.meta.code, manifest.disclosure.meta.schema_
    if role is _ROLES["code_write"] and isinstance(code, MetaTool):
        return f"Like {_served_name(manifest, 'code', code)}, with every tool."
    if not isinstance(schema, MetaTool):
        return f"{role.description}."
    shows = _served_name(manifest, "schema", schema)
    return f'{role.description}; {shows}(tool, detail="{STUB_DETAIL}") shows them.'


def _served_name(manifest: Manifest, role: str, entry: MetaTool) -> str:
    return entry.name or manifest.server.prefix + _ROLES[role].name


def _schema(role: _Role, manifest: Manifest) -> Json:
    """The parameters of a meta-tool; enums get their type, which some clients insist on."""
    properties: dict[str, Any] = {
        key: {"type": "string", **value} for key, value in role.schema["properties"].items()
    }
    if role.effects and not role.runs_programs:
        properties["arguments"] = _ARGUMENTS[manifest.disclosure.arguments]
    if role is _ROLES["schema"] and manifest.disclosure.code != "off":
        properties["detail"] = {"type": "string", "enum": [*TOOL_DETAILS, STUB_DETAIL]}
    return role.schema | {"properties": properties}


def _annotations(role: _Role) -> Json:
    writes = set(role.effects) - {"read"}
    return {
        "readOnlyHint": not writes,
        "destructiveHint": bool(writes),
        "idempotentHint": not writes,
        "openWorldHint": False,
    }
