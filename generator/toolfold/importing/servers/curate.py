"""A first overlay for a server's tools, in a file that then belongs to the author."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolfold.disk import write_new
from toolfold.importing.servers.project import Project
from toolfold.importing.servers.snapshot import Snapshot
from toolfold.importing.write import inline, key_text
from toolfold.manifest.read import read_yaml
from toolfold.manifest.tree import PlacedMapping

#: The folder of overlays, beside the manifest.
FOLDER: Final = "curation"


def write_overlay(project: Project, snapshot: Snapshot) -> Path | None:
    """Write the overlay of a server; None where there is one, which is its author's."""
    path = project.folder / FOLDER / snapshot.path.name
    if path.exists():
        return None
    write_new(path, overlay_text(snapshot), project.folder)
    return path


def overlay_text(snapshot: Snapshot) -> str:
    """An overlay with each tool's proposed summary; the other keys are comments."""
    tree = read_yaml(snapshot.text.encode(), str(snapshot.path))
    first = f"# Yours: what agents see of the server {snapshot.server}. Importing never changes it."
    return "\n".join([first, "tools:", *_lines(tree["tools"])]) + "\n"


def _lines(tools: PlacedMapping) -> Iterator[str]:
    for name, tool in tools.items():
        is_proposed = "effect" in tool.get("proposed", ())
        mark = "  # proposed: the server does not say" if is_proposed else ""
        yield f"  {key_text(name)}:"
        yield f"    summary: {inline(tool['summary'])}"
        yield f"    # effect: {tool['effect']}{mark}"
        yield f"    # category: {inline(tool['category'])}"
        yield "    # example: a prompt that needs this tool"
        yield "    # tags: []"
        yield "    # tier: hot"
        yield "    # hidden: true"
