"""A small project on disk: a manifest in two states, and what a run makes of it."""

import contextlib
import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolfold.cli.main import main

Json = dict[str, Any]


def manifest(*tools: str, text: str = "What it does", package: str = "demo") -> Json:
    """A manifest of these tools; `text` is in every page and no module."""
    return {
        "toolfold": 1,
        "server": {"name": package, "package": package, "version": "1"},
        "categories": {f"{package}_all": {"description": text}},
        "tools": {
            name: {
                "category": f"{package}_all",
                "effect": "read",
                "summary": f"Tool {name}",
                "description": text,
                "parameters": {"v": {"type": "string"}},
            }
            for name in tools
        },
    }


def write_manifest(folder: Path, content: Json, name: str = "tools.yaml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Done:
    """What a command said and how it ended."""

    returncode: int
    stdout: str
    stderr: str


def toolfold(folder: Path, *arguments: str) -> Done:
    """Carry out a command in `folder`, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return Done(code, out.getvalue(), err.getvalue())


def python(folder: Path, *arguments: str) -> Done:
    """Run a program in `folder`, in a process of its own."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def generate(folder: Path, *arguments: str) -> str:
    """A run that must succeed; what it says."""
    done = toolfold(folder, "generate", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def snapshot(root: Path) -> dict[str, bytes | str]:
    """Every path below `root` with its content, or what else it is."""
    found: dict[str, bytes | str] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_dir():
            found[name] = "folder"
        else:
            found[name] = path.read_bytes()
    return found
