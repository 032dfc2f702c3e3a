"""Asking git: which files a commit would miss."""

import os
import subprocess
from pathlib import Path

from toolfold.errors import UsageError


def unknown_to_git(output: Path) -> list[str]:
    """Files below `output` that git neither tracks nor ignores, relative to this folder.

    A hook sees them in the working tree, so they look current, and yet no commit would hold them.
    """
    if not output.is_dir():
        return []
    # In a hook, git's own variables lead from here to the index, so here is where to ask.
    here = Path.cwd()
    folder = here if output.resolve().is_relative_to(here) else output
    place = str(output.resolve())
    listed = git(folder, "ls-files", "--others", "--exclude-standard", "-z", "--", place)
    return sorted(os.fsdecode(name) for name in listed.split(b"\0") if name)


def git(folder: Path, *arguments: str) -> bytes:
    """What git answers in a folder; UsageError in its own words where it refuses."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, and names after `--`
            ["git", *arguments],  # noqa: S607 - the user's own git
            cwd=folder,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError("git is not installed") from None
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(f"git: {lines[0] if lines else 'failed'}")
    return done.stdout
