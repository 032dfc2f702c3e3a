"""The files that `toolfold init` writes beside a manifest: for git, and on request tests and workflows."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from toolfold import __version__
from toolfold.emit.render import render


def project_files(folder: Path, extras: frozenset[str]) -> Iterator[tuple[Path, str]]:
    """Path and text of each file; those that belong at a repository's root have their path there."""
    root = repository_root(folder)
    inside = folder.resolve().relative_to(root.resolve()).as_posix()
    prefix = "" if inside == "." else f"{inside}/"
    manifest = shlex.quote(f"{prefix}tools.yaml")
    command = f"toolfold generate --for-commit --manifest {manifest}"
    files = rf"^{re.escape(prefix)}(.*\.(py|ya?ml)|generated/.*)$"
    hook = render("project/pre-commit-config.yaml.jinja", entry=_yaml(command), files=_yaml(files))
    yield root / ".pre-commit-config.yaml", hook
    yield folder / ".gitignore", render("project/gitignore.jinja")
    if "pytest" in extras:
        yield folder / "test_generated.py", render("project/test_generated.py.jinja")
    if "github" in extras:
        commands = {
            "toolfold-check.yml": f"toolfold check --format github --manifest {manifest}",
            "toolfold-docs.yml": f"toolfold docs build --site _site --manifest {manifest}",
        }
        for name, command in commands.items():
            text = render(f"project/{name}.jinja", version=__version__, command=_yaml(command))
            yield root / ".github" / "workflows" / name, text


def repository_root(folder: Path) -> Path:
    """The root of the repository that the folder is in, or the folder itself."""
    for candidate in (folder, *folder.resolve().parents):
        if (candidate / ".git").exists():
            return candidate
    return folder


def _yaml(text: str) -> str:
    """A YAML string: JSON's, and bare where it can be."""
    return text if re.fullmatch(r"[A-Za-z][\w ./=-]*", text) else json.dumps(text)
