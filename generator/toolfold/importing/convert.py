"""Converting foreign tools to a manifest's data."""

import re
from collections.abc import Sequence
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import Effect

from toolfold.importing.effects import declared_effect
from toolfold.importing.names import categories, tool_names
from toolfold.importing.sources import ForeignTool

_SUMMARY_LENGTH: Final = 120
# A blank line, or a new line that does not go on in lower case, ends the first paragraph.
_PARAGRAPH_END: Final = re.compile(r"\n\s*\n|\n(?=\s*[^a-z\s])")
_FULL_STOP: Final = re.compile(r"(\S+?)([.!?])\s+(?=(\S))|(?<=[。！？])")
_ABBREVIATIONS: Final = frozenset({"etc", "vs", "approx", "incl", "dr", "no", "st"})


def manifest_of(tools: Sequence[ForeignTool], server: str) -> Json:
    """The manifest's data, tools in their order, foreign schemas unchanged."""
    names = tool_names(tools)
    grouped = categories(tools)
    return {
        "toolfold": 1,
        "server": {"name": server, "version": "0.1.0"},
        "categories": {name: {"title": title} for name, title in dict(grouped.values()).items()},
        "tools": {names[tool.id]: entry_of(tool, grouped[tool.id][0]) for tool in tools},
    }


def server_name(tools: Sequence[ForeignTool], fallback: str) -> str:
    """The one server's name, or the fallback, with other characters replaced that a manifest refuses."""
    servers = {tool.server for tool in tools}
    name = servers.pop() if len(servers) == 1 else fallback
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-")[:64] or "imported"


def entry_of(
    tool: ForeignTool, category: str, proposed: Sequence[str] = (), effect: Effect = "write"
) -> Json:
    """A tool's entry; the given effect is marked as proposed if no annotation declares one."""
    declared = declared_effect(tool.annotations)
    marks = [*proposed, *(["effect"] if declared is None else [])]
    entry = {
        "id": tool.id,
        "category": category,
        "effect": declared or effect,
        "proposed": marks or None,
        "summary": _summary(tool),
        "title": tool.title or None,
        "description": tool.description or None,
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
        "annotations": tool.annotations or None,
        "icons": tool.icons or None,
        "meta": tool.meta or None,
    }
    return {key: value for key, value in entry.items() if value is not None}


def _summary(tool: ForeignTool) -> str:
    text = tool.description.strip() or tool.title or tool.name.replace("_", " ")
    paragraph = " ".join(_PARAGRAPH_END.split(text, maxsplit=1)[0].split())
    sentence = first_sentence(paragraph).lstrip("# ").rstrip(". ")
    if sentence.startswith("**") and sentence.endswith("**"):
        sentence = sentence.strip("*")
    sentence = sentence or tool.name
    if len(sentence) <= _SUMMARY_LENGTH:
        return sentence
    return sentence[: _SUMMARY_LENGTH - 1].rsplit(" ", 1)[0].rstrip(",;:. ") + "…"


def first_sentence(text: str) -> str:
    """The text up to the first full stop that ends a sentence and not an abbreviation."""
    for stop in _FULL_STOP.finditer(text):
        word, mark, following = stop.groups()
        if word is None:
            return text[: stop.end()]
        is_abbreviation = "." in word or word.strip("(\"'").lower() in _ABBREVIATIONS
        if not following.islower() and not (mark == "." and is_abbreviation):
            return text[: stop.end(2)]
    return text
