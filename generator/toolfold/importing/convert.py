"""Foreign tools to a manifest's data: what goes under which key, and nothing lost."""

import re
from collections.abc import Sequence
from typing import Any, Final

from toolfold.importing.names import categories, tool_names
from toolfold.importing.sources import ForeignTool, Json
from toolfold.importing.write import Noted

_SUMMARY_LENGTH: Final = 120
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(\[])|(?<=[。！？])|\n")


def manifest_of(tools: Sequence[ForeignTool], server: str) -> Json:
    """The manifest's data, tools in their order, foreign schemas kept as they are."""
    names = tool_names(tools)
    grouped = categories(tools)
    return {
        "toolfold": 1,
        "server": {"name": server, "version": "0.1.0"},
        "categories": {name: {"title": title} for name, title in dict(grouped.values()).items()},
        "tools": {names[tool.id]: _entry(tool, grouped[tool.id][0]) for tool in tools},
    }


def server_name(tools: Sequence[ForeignTool], fallback: str) -> str:
    """The one server's name, or the fallback, in a form that a manifest takes."""
    servers = {tool.server for tool in tools}
    name = servers.pop() if len(servers) == 1 else fallback
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-")[:64] or "imported"


def _entry(tool: ForeignTool, category: str) -> Json:
    entry: Json = {"id": tool.id, "category": category, "effect": _effect(tool.annotations)}
    entry["summary"] = _summary(tool)
    if tool.title:
        entry["title"] = tool.title
    if tool.description:
        entry["description"] = tool.description
    entry["input_schema"] = tool.input_schema
    if tool.output_schema is not None:
        entry["output_schema"] = tool.output_schema
    if tool.annotations:
        entry["annotations"] = tool.annotations
    if tool.meta:
        entry["meta"] = tool.meta
    return entry


def _effect(annotations: Json) -> Any:
    """What the annotations say; where they say nothing, a proposal on the safe side."""
    if annotations.get("readOnlyHint") is True:
        return "read"
    if isinstance(annotations.get("destructiveHint"), bool):
        return "destructive" if annotations["destructiveHint"] else "write"
    if annotations.get("readOnlyHint") is False:
        return "destructive"  # the protocol's default for a tool that writes
    return Noted("write", "proposed: the server did not say")


def _summary(tool: ForeignTool) -> str:
    text = tool.description.strip() or tool.title or tool.name.replace("_", " ")
    sentence = " ".join(_SENTENCE_END.split(text, maxsplit=1)[0].split())
    sentence = sentence.strip("#*` ").rstrip(".") or tool.name
    if len(sentence) <= _SUMMARY_LENGTH:
        return sentence
    return sentence[: _SUMMARY_LENGTH - 1].rsplit(" ", 1)[0].rstrip(",;:. ") + "…"
