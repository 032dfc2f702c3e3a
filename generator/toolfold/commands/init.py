"""`toolfold init`: a small working server to start from."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from toolfold.disk import refuse_links, write_new
from toolfold.errors import UsageError


def init(folder: Path, name: str | None, extras: frozenset[str] = frozenset()) -> Iterator[str]:
    """Write a manifest, its implementation and what goes with them, yielding what was done.

    Nothing that exists is overwritten: UsageError names the manifest or the implementation
    before anything is written; of other files that exist, the text they could hold is yielded.
    """
    from toolfold.commands.scaffold import project_files, repository_root
    from toolfold.emit.render import render
    from toolfold.plan.names.identifiers import package_name

    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError(f"{folder}: not a folder; name another")
    server = _server_name(name or folder.resolve().name)
    files = {
        folder / "tools.yaml": render("project/tools.yaml.jinja", name=_yaml_name(server)),
        folder / "implementation.py": render(
            "project/implementation.py.jinja", package=package_name(server)
        ),
    }
    existing = [str(path) for path in files if os.path.lexists(path)]
    if existing:
        raise UsageError(f"{', '.join(existing)}: already there; nothing was written")
    files |= project_files(folder, extras)
    root = repository_root(folder)
    bases = {path: folder if path.is_relative_to(folder) else root for path in files}
    for path, base in bases.items():
        refuse_links(path.parent, base)
    for path, text in files.items():
        if os.path.lexists(path):
            yield f"{path}: already there; what it could hold:\n{text}"
            continue
        try:
            write_new(path, text, bases[path])
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
        yield f"{path}: written"


def _yaml_name(name: str) -> str:
    """A name as YAML: in quotes where it would read as a number or a word like `null`."""
    is_plain = name[0].isalpha() and name not in ("null", "true", "false")
    return name if is_plain else f'"{name}"'


def _server_name(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-")
    return name or "server"
