"""Every page of the reference, made of the source; nothing is read from the user's machine."""

from pathlib import Path
from typing import Final

from manual.commands import commands, commands_page
from manual.error_codes import errors_page
from manual.files import files_page
from manual.keys import keyword_keys, manifest_keys
from manual.manifest_pages import manifest_pages
from manual.names import names_page, public_names
from manual.text import page

#: Where the pages are.
FOLDER: Final = Path(__file__).parents[1] / "docs" / "reference"
_INDEX: Final = page(
    "Reference",
    "Written from the source, so that it says what the code does.",
    """- [The manifest](manifest.md): every key with its type, default and an example; large sections by themselves:
  [`disclosure`](manifest-disclosure.md), [`tools`](manifest-tools.md), a tool's [`backend`](manifest-backend.md),
  [`servers`](manifest-servers.md), [schemas](manifest-schemas.md).
- [Commands](commands.md): every command, its options and examples; exit codes and environment variables.
- [Python](python.md): what a class and its tests may import.
- [Error codes](errors.md): of calls and of findings, and what to do about each.
- [Generated files](files.md): what each is for.""",
)


def reference() -> dict[str, str]:
    """The text of each page, by its name."""
    return {
        "index.md": _INDEX,
        **manifest_pages(),
        "commands.md": commands_page(),
        "python.md": names_page(),
        "errors.md": errors_page(),
        "files.md": files_page(),
    }


def undocumented() -> list[str]:
    """Every key, flag and public name without a description or an example; and what to do."""
    keys = [missing for key in (*manifest_keys(), *keyword_keys()) for missing in key.missing]
    flags = [missing for command in commands() for missing in command.missing]
    return [*keys, *flags, *(missing for name in public_names() for missing in name.missing)]


def out_of_date() -> list[str]:
    """Pages whose files are not what the source says now."""
    pages = reference()
    changed = [
        name
        for name, text in pages.items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text(encoding="utf-8") != text
    ]
    return changed + sorted(path.name for path in FOLDER.iterdir() if path.name not in pages)
