"""The words that search finds a tool by, split from its text, by field."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.search.words import joined, words

from toolfold.manifest.schema import Tool
from toolfold.plan.schemas.served import input_schema, output_schema
from toolfold.plan.source import ToolSource

_PROSE: Final = ("name", "title", "description", "server")
_DEEPEST: Final = 5
_MOST_OF_ENUM: Final = 30

#: A tool's words by field.
Words = dict[str, list[str]]


def search_words(texts: dict[str, str]) -> Words:
    """A tool's words by field, split by the very code that splits a query."""
    by_field = {field: words(text) for field, text in texts.items()}
    # A tool called `help` can still be searched for.
    by_field["name"] = by_field["name"] or words(texts["name"], frozenset())
    by_field["joined"] = [word for field in _PROSE for word in joined(texts[field])]
    return by_field


def search_texts(source: ToolSource, definitions: dict[str, Json]) -> dict[str, str]:
    """A tool's text by field."""
    tool = source.tool
    names, hints = _schema_texts(input_schema(tool, definitions))
    result_names, result_hints = _schema_texts(output_schema(tool, definitions))
    server = server_of(source.id)
    title = source.category_title
    prompts = [tool.example or "", *(example.description or "" for example in tool.examples)]
    return {
        "name": _own_name(source),
        "server": server,
        "title": tool.title or "",
        "description": _described(tool),
        "tags": " ".join(tool.tags),
        "prompts": "\n".join(prompts),
        "aliases": " ".join(tool.aliases),
        # An imported tool's category is its server.
        "category": f"{tool.category} {title}" if tool.category != server else "",
        "parameters": " ".join(names),
        "hints": " ".join(hints),
        "output": " ".join([*result_names, *result_hints]),
    }


def server_of(identity: str) -> str:
    """The server that a tool's id names."""
    return identity.partition("::")[0]


def _own_name(source: ToolSource) -> str:
    """A tool's name without the server that an importer put before it."""
    foreign_name = source.id.partition("::")[2]
    return foreign_name if foreign_name and source.name.endswith(foreign_name) else source.name


def _described(tool: Tool) -> str:
    """Summary and description, once where one begins with the other."""
    description = tool.description or ""
    is_part = description.startswith(tool.summary.rstrip("….")[:200])
    return description if is_part else f"{tool.summary}\n{description}"


def _schema_texts(schema: object, depth: int = 0) -> tuple[list[str], list[str]]:
    """Names of properties; their descriptions and the values they may have."""
    names: list[str] = []
    hints: list[str] = []
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or depth > _DEEPEST:
        return names, hints
    for name, inner in properties.items():
        names.append(name)
        for part in (inner, inner.get("items") if isinstance(inner, dict) else None):
            if isinstance(part, dict):
                hints += _own_hints(part)
                deeper = _schema_texts(part, depth + 1)
                names += deeper[0]
                hints += deeper[1]
    return names, hints


def _own_hints(schema: Json) -> Iterator[str]:
    if isinstance(schema.get("description"), str):
        yield schema["description"]
    if isinstance(schema.get("enum"), list):
        yield " ".join(str(value) for value in schema["enum"][:_MOST_OF_ENUM])
