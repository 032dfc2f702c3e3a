"""A repository that has never seen toolfold, and one that offers its hooks."""

import shutil
from pathlib import Path
from typing import Final

from tests.support.commands import must
from tests.support.projects import ROOT

#: What the hook's environment is built from.
OFFERED: Final = (
    *(".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE"),
    *("generator", "runtime", "templates"),
)
MANIFEST: Final = """\
toolfold: 1
server: {name: demo, version: "1"}
categories: {all: {title: All, description: Everything}}
tools:
  find: {category: all, effect: read, summary: Find}
"""


def environments_in(home: Path) -> dict[str, str]:
    """Makes the runners keep their environments in `home`, and compile what they use there once."""
    homes = {"PRE_COMMIT_HOME": f"{home}/pre-commit", "PREK_HOME": f"{home}/prek"}
    return {**homes, "PYTHONDONTWRITEBYTECODE": ""}


def offered(folder: Path) -> str:
    """Make `folder` a repository that offers the hooks as they are now; its revision."""
    folder.mkdir()
    for name in OFFERED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / name, ignore=ignored)
        else:
            shutil.copy(source, folder)
    must(folder, "git", "init", "-q")
    must(folder, "git", "add", "-A")
    must(folder, "git", "commit", "-qm", "hooks")
    return must(folder, "git", "rev-parse", "HEAD").strip()
