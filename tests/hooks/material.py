"""A repository that has never seen toolfold, and one that offers its hooks."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
#: What the hook's environment is built from.
OFFERED: Final = (
    *(".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE"),
    *("generator", "runtime", "templates"),
)
BIN: Final = Path(sys.executable).parent
_SECONDS: Final = 240
MANIFEST: Final = """\
toolfold: 1
server: {name: demo, version: "1"}
categories: {all: {title: All, description: Everything}}
tools:
  find: {category: all, effect: read, summary: Find}
"""


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    code: int
    said: str


def run(folder: Path, *command: str, home: Path | None = None) -> Done:
    """A command, its two streams as one; runners keep their environments in `home`."""
    homes = {"PRE_COMMIT_HOME": f"{home}/pre-commit", "PREK_HOME": f"{home}/prek"} if home else {}
    author = {
        f"GIT_{who}_{what}": f"x{at}"
        for who in ("AUTHOR", "COMMITTER")
        for what, at in (("NAME", ""), ("EMAIL", "@example.com"))
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **author, **homes, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    return Done(done.returncode, done.stdout)


def must(folder: Path, *command: str) -> str:
    done = run(folder, *command)
    assert done.code == 0, done.said
    return done.said


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
