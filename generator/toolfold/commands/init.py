"""`toolfold init`: a small working server to start from."""

import re
from collections.abc import Iterator
from pathlib import Path

from toolfold.errors import UsageError


def init(folder: Path, name: str | None, extras: frozenset[str] = frozenset()) -> Iterator[str]:
    """Write a manifest, its implementation and what goes with them, yielding what was done.

    Nothing that exists is overwritten: UsageError names the manifest or the implementation
    before anything is written; of other files that exist, the text they could hold is yielded.
    """
    from toolfold.commands.scaffold import project_files
    from toolfold.emit.render import render
    from toolfold.plan.names.identifiers import package_name

    server = _server_name(name or folder.resolve().name)
    files = {
        folder / "tools.yaml": render("project/tools.yaml.jinja", name=_yaml_name(server)),
        folder / "implementation.py": render(
            "project/implementation.py.jinja", package=package_name(server)
        ),
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
