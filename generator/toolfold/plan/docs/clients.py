"""How each client is told of the server: links to click, commands and files that work as pasted."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from toolfold_runtime.contract.codec import Json

from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.text.escape import json_text, markdown_fence

_WORKSPACE: Final = "${workspaceFolder}"  # which Cursor and VS Code replace
_URL: Final = "http://127.0.0.1:8000/mcp"


@dataclass(frozen=True)
class Clients:
    """What the home page says of connecting."""

    #: A sentence, and links to click.
    links: tuple[str, ...]
    #: Blocks of code below their titles.
    blocks: tuple[str, ...]


def clients(facts: CatalogFacts) -> Clients:
    """Links and blocks; server and package names are letters, digits, dots and dashes."""
    name, package = facts.manifest.server.name, facts.package
    blocks = (
        f"**{title}**\n\n{markdown_fence(text, language)}"
        for title, text, language in _blocks(name, package)
    )
    return Clients((_cursor_link(name, package), _vscode_link(name, package)), tuple(blocks))


def _blocks(name: str, package: str) -> Iterator[tuple[str, str, str]]:
    """In a shell `$PWD` and `command -v` make absolute what desktop programs cannot find."""
    yield (
        "Claude Code",
        f'claude mcp add {name} --env PYTHONPATH="$PWD/generated" \\\n'
        f'  -- "$(command -v python)" -m {package}.server',
        "console",
    )
    yield (
        "Cursor",
        json_text({"mcpServers": {name: _stdio(package, _WORKSPACE)}}, indent=2),
        "json",
    )
    yield (
        "VS Code",
        f'code --add-mcp "{{\\"name\\":\\"{name}\\",\\"command\\":\\"$(command -v python)\\",'
        f'\\"args\\":[\\"-m\\",\\"{package}.server\\"],'
        '\\"env\\":{\\"PYTHONPATH\\":\\"$PWD/generated\\"}}"',
        "console",
    )
    yield "Others", _printed(name, package), "console"
    yield (
        "HTTP",
        f"PYTHONPATH=generated python -m {package}.server --http --port 8000\n# {_URL}",
        "console",
    )


def _printed(name: str, package: str) -> str:
    """A command that prints the configuration which most clients share, with absolute paths."""
    entry = f'{{"command": sys.executable, "args": ["-m", "{package}.server"], "env": path}}'
    return (
        "python -c 'import json, os, sys\n"
        'path = {"PYTHONPATH": os.path.abspath("generated")}\n'
        f'print(json.dumps({{"mcpServers": {{"{name}": {entry}}}}}, indent=2))\''
    )


def _stdio(package: str, folder: str) -> Json:
    return {
        "command": "python",
        "args": ["-m", f"{package}.server"],
        "env": {"PYTHONPATH": f"{folder}/generated"},
    }


def _cursor_link(name: str, package: str) -> str:
    config = b64encode(json_text(_stdio(package, _WORKSPACE)).encode()).decode()
    place = "cursor://anysphere.cursor-deeplink/mcp/install"
    return f"[Add to Cursor]({place}?name={quote(name, safe='')}&config={quote(config, safe='')})"


def _vscode_link(name: str, package: str) -> str:
    """VS Code asks for the folder, because the entry is added for every workspace."""
    asked = {"id": "folder", "type": "promptString", "description": "Folder of the project"}
    config = {"name": name, **_stdio(package, "${input:folder}"), "inputs": [asked]}
    return f"[Add to VS Code](vscode:mcp/install?{quote(json_text(config), safe='')})"
