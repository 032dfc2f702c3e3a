"""`catalog.json`: the catalog for programs, from what was baked for the server."""

import json
from pathlib import Path
from typing import Any

from toolfold.errors import UsageError
from toolfold.plan.docs.links import tool_page_path
from toolfold.plan.text.escape import json_text

Json = dict[str, Any]


def catalog_json(output: Path) -> str:
    """Every tool below `output` with its schemas, one line each inside one JSON document."""
    folders = sorted(path.parent for path in output.glob("*/catalog/server.json"))
    if not folders:
        raise UsageError(f"{output}/: no generated server here; run `toolfold generate` first")
    tools = [json_text(_tool(entry)) for folder in folders for entry in _entries(folder)]
    servers = [_server(folder) for folder in folders]
    head = json_text({"unit": "o200k tokens", "servers": servers})
    return f'{head[:-1]},"tools":[\n' + ",\n".join(tools) + "\n]}\n"


def _server(folder: Path) -> Json:
    server = json.loads((folder / "server.json").read_bytes())
    keys = ("name", "version", "title", "exposure", "format")
    return {key: server[key] for key in keys} | {"metaTools": server["meta_tools"]}


def _entries(folder: Path) -> list[Json]:
    """The tools of every category, by name; lines without a definition are views."""
    entries = []
    for file in sorted((folder / "categories").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").split("\n"):
            entry = json.loads(line) if line else {}
            if "definition" in entry:
                entries.append(entry)
    return sorted(entries, key=lambda entry: str(entry["name"]))


def _tool(entry: Json) -> Json:
    page = tool_page_path(entry["name"])
    return {
        **entry["definition"],
        "category": entry["category"],
        "effect": entry["effect"],
        "signature": entry["signature"],
        "page": page.removesuffix(".md") + ".html",
        "markdown": page,
    }
