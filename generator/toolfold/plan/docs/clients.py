"""The configuration of each client, ready to copy."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.text.escape import json_text, markdown_fence

_FOLDER: Final = "/path/to/project"  # for the reader to replace
_URL: Final = "http://127.0.0.1:8000/mcp"


def clients(facts: CatalogFacts) -> list[dict[str, str]]:
    """A heading, a line and a block to copy for each client."""
    return [
        {"name": name, "words": words, "block": markdown_fence(text, language)}
        for name, words, text, language in _clients(facts.manifest.server.name, facts.package)
    ]


def _clients(name: str, package: str) -> Iterator[tuple[str, str, str, str]]:
    """Server and package names are letters, digits, dots and dashes: safe in every shell."""
    server = _stdio(package)
    path = f"PYTHONPATH={_FOLDER}/generated"
    yield (
        "Claude Code",
        "In a terminal:",
        f"claude mcp add {name} --env {path} -- python -m {package}.server",
        "console",
    )
    yield (
        "Claude Desktop",
        "In `claude_desktop_config.json` (Settings, Developer, Edit Config):",
        json_text({"mcpServers": {name: server}}, indent=2),
        "json",
    )
    yield (
        "Cursor",
        "In `.cursor/mcp.json` of a project, or `~/.cursor/mcp.json` for all:",
        json_text({"mcpServers": {name: server}}, indent=2),
        "json",
    )
    yield (
        "VS Code",
        "In `.vscode/mcp.json`:",
        json_text({"servers": {name: {"type": "stdio", **server}}}, indent=2),
        "json",
    )
    yield "Plain stdio", "For any other client:", f"{path} python -m {package}.server", "console"
    yield (
        "HTTP",
        f"Start it once, then point clients to `{_URL}`:",
        f"{path} python -m {package}.server --http --port 8000",
        "console",
    )


def _stdio(package: str) -> Json:
    return {
        "command": "python",
        "args": ["-m", f"{package}.server"],
        "env": {"PYTHONPATH": f"{_FOLDER}/generated"},
    }
