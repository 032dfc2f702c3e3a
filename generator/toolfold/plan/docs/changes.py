"""The changelog of tools: two manifests compared, by tool and by parameter."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.docs.links import tool_link
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.schemas.served import input_schema, output_schema
from toolfold.plan.text.escape import json_text, markdown, markdown_code

# Fields whose values are shown, and fields of which only a change is.
_SHOWN_FIELDS: Final = ("category", "effect", "tier", "content")
_TEXT_FIELDS: Final = ("summary", "title", "description", "notes", "example", "examples", "tags")
_OTHER_FIELDS: Final = (
    "errors",
    "related",
    "generates",
    "consumes",
    "performance",
    "references",
    "scopes",
    "confirm",
    "cache",
)
_REPORTED_APART: Final = frozenset(["type", "default", "description", "$ref", "enum", "const"])


def changes_page(before: Manifest, after: Manifest, since: str, header: str) -> str:
    """A page in Markdown: tools that were added, removed, renamed and changed."""
    renamed = _renamed(before, after)
    added = [n for n in after.tools if n not in before.tools and n not in renamed]
    removed = [n for n in before.tools if n not in after.tools and n not in renamed.values()]
    changed = {
        name: lines
        for name in after.tools
        if (old := renamed.get(name, name)) in before.tools
        and (lines := list(_changes(old, before, name, after)))
    }
    parts = [f"<!-- {header} -->", "", "# Changes", "", f"Since {markdown_code(since)}."]
    parts += _section("Added", [_added(name, after.tools[name]) for name in added])
    parts += _section("Removed", [_line(name, before.tools[name]) for name in removed])
    parts += _section(
        "Renamed", [f"{markdown_code(old)} is now {tool_link(new)}" for new, old in renamed.items()]
    )
    if changed:
        parts += ["", "## Changed"]
    for name, lines in changed.items():
        parts += ["", f"{tool_link(name)}", "", *(f"- {line}" for line in lines)]
    if not (added or removed or renamed or changed):
        parts += ["", "No tool was added, removed or changed."]
    return "\n".join(parts) + "\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", f"## {title}", "", *(f"- {line}" for line in lines)] if lines else []


def _added(name: str, tool: Tool) -> str:
    return f"{tool_link(name)}: {markdown(tool.summary)}"


def _line(name: str, tool: Tool) -> str:
    return f"{markdown_code(name)}: {markdown(tool.summary)}"


def _renamed(before: Manifest, after: Manifest) -> dict[str, str]:
    """New name to old, where an added tool has the name of a removed one as an alias."""
    gone = [name for name in before.tools if name not in after.tools]
    return {
        name: old
        for name, tool in after.tools.items()
        if name not in before.tools
        for old in gone
        if old in tool.aliases
    }


def _changes(old: str, before: Manifest, new: str, after: Manifest) -> Iterator[str]:
    was, now = before.tools[old], after.tools[new]
    for key in _SHOWN_FIELDS:
        first, second = getattr(was, key), getattr(now, key)
        if first != second:
            yield f"{key}: {_code(first)} → {_code(second)}"
    if _deprecated(was) != _deprecated(now):
        yield f"deprecated: {_deprecated(was)} → {_deprecated(now)}"
    yield from _parameters(input_schema(was, before.defs), input_schema(now, after.defs))
    returned = output_schema(was, before.defs), output_schema(now, after.defs)
    if returned[0] != returned[1]:
        yield f"returns: {_returned(returned[0])} → {_returned(returned[1])}"
    words = [
        key for key in (*_TEXT_FIELDS, *_OTHER_FIELDS) if getattr(was, key) != getattr(now, key)
    ]
    if words:
        yield f"other words: {', '.join(words)}"


def _parameters(before: Json, after: Json) -> Iterator[str]:
    was, now = properties_of(before), properties_of(after)
    for name, schema in now.items():
        if name not in was:
            required = ", required" if name in required_of(after) else ""
            kind = markdown_code(type_name(schema, after))
            yield f"parameter {markdown_code(name)} added: {kind}{required}"
    for name in was:
        if name not in now:
            yield f"parameter {markdown_code(name)} removed"
    for name, schema in now.items():
        if name in was:
            differences = list(_differences(was[name], before, schema, after))
            if (name in required_of(before)) != (name in required_of(after)):
                differences.append(
                    "now required" if name in required_of(after) else "no longer required"
                )
            if differences:
                yield f"parameter {markdown_code(name)}: {'; '.join(differences)}"


def _differences(was: object, before: Json, now: object, after: Json) -> Iterator[str]:
    types = type_name(was, before), type_name(now, after)
    if types[0] != types[1]:
        yield f"{markdown_code(types[0])} → {markdown_code(types[1])}"
    first, second = (schema if isinstance(schema, dict) else {} for schema in (was, now))
    if first.get("default") != second.get("default"):
        yield f"default {_default(first)} → {_default(second)}"
    keys = [key for key in dict.fromkeys([*first, *second]) if key not in _REPORTED_APART]
    changed = [key for key in keys if first.get(key) != second.get(key)]
    if changed:
        yield f"other constraints: {', '.join(markdown_code(key) for key in changed)}"
    elif first.get("description") != second.get("description"):
        yield "described otherwise"


def _deprecated(tool: Tool) -> str:
    own = tool.deprecation
    if own is None:
        return "no"
    return f"use {markdown_code(own.use)}" if own.use else "yes"


def _code(value: str | None) -> str:
    return markdown_code(value) if value else "none"


def _default(schema: Json) -> str:
    return markdown_code(json_text(schema["default"])) if "default" in schema else "none"


def _returned(schema: Json | None) -> str:
    return markdown_code(type_name(schema, schema)) if schema is not None else "nothing declared"
