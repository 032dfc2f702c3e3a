"""`toolfold init`: a small working server to start from."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolfold.errors import UsageError

_MANIFEST: Final = """\
# yaml-language-server: $schema=generated/manifest.schema.json
toolfold: 1
server:
  name: {name}
  version: 0.1.0
  description: What this server is for, in a sentence.
  implementation: implementation:Tools

categories:
  greet: {{title: Greetings, description: Say something kind}}

tools:
  hello:
    category: greet
    effect: read
    summary: Greet someone
    description: Greets a person by name, in one of a few languages.
    example: say hello to Ada
    parameters:
      name: {{type: string, required: true, description: Whom to greet}}
      language: {{type: string, enum: [en, fr, de], default: en}}
    returns:
      type: object
      properties: {{greeting: {{type: string}}}}
      required: [greeting]
    examples:
      - {{description: In French, arguments: {{name: Ada, language: fr}}}}
"""

_IMPLEMENTATION: Final = '''\
"""What carries the tools out. This file is yours: toolfold never writes it again."""

from {package}.handlers import Handlers
from {package}.models.hello import HelloParams, HelloResult

WORDS = {{"en": "Hello", "fr": "Bonjour", "de": "Hallo"}}


class Tools(Handlers):
    """One method per tool of tools.yaml."""

    def hello(self, params: HelloParams) -> HelloResult:
        """Greet someone."""
        return HelloResult(greeting=f"{{WORDS[params.language]}}, {{params.name}}!")
'''


def init(folder: Path, name: str | None, extras: frozenset[str] = frozenset()) -> Iterator[str]:
    """Write a manifest, its implementation and what goes with them, yielding what was done.

    Nothing that exists is overwritten: UsageError names the manifest or the implementation
    before anything is written; of other files that exist, the text they could hold is yielded.
    """
    from toolfold.commands.scaffold import project_files
    from toolfold.plan.names.identifiers import package_name

    server = _server_name(name or folder.resolve().name)
    files = {
        folder / "tools.yaml": _MANIFEST.format(name=_yaml_name(server)),
        folder / "implementation.py": _IMPLEMENTATION.format(package=package_name(server)),
    }
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: a file is there; name a folder")
    existing = [str(path) for path in files if path.exists() or path.is_symlink()]
    if existing:
        raise UsageError(f"{', '.join(existing)}: already there; nothing was written")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in [*files.items(), *project_files(folder, extras)]:
        if path.exists() or path.is_symlink():
            yield f"{path}: already there; what it could hold:\n{text}"
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        yield f"{path}: written"


def _yaml_name(name: str) -> str:
    """A name as YAML: in quotes where it would read as a number or a word like `null`."""
    is_plain = name[0].isalpha() and name not in ("null", "true", "false")
    return name if is_plain else f'"{name}"'


def _server_name(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-")
    return name or "server"
