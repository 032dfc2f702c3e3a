"""`toolfold docs serve`: the site on this machine, built again after every save of the manifest."""

import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from toolfold.commands.generate import Project
from toolfold.develop.processes import wait_or_kill
from toolfold.develop.watch import Outcome, Regenerated, Regenerator, saves
from toolfold.site.build import require_builder, site_sources, write_file


def preview(project: Project, address: str, show: Callable[[Outcome], None]) -> int:
    """Serve until interrupted, showing the outcome of each save; the exit code of the builder.

    Pages reload themselves when the builder has built them again.
    """
    require_builder()
    regenerator = Regenerator(project)
    first = regenerator.run()
    show(first)
    if not isinstance(first, Regenerated) and not (project.output / "mkdocs.yml").is_file():
        return 1  # nothing was ever generated, so there is nothing to show
    with tempfile.TemporaryDirectory(suffix=".toolfold-new") as folder:
        staging = Path(folder)
        _update_sources(project.output, staging)
        process = _start(staging, address)
        try:
            ended = threading.Event()
            threading.Thread(target=_wait, args=(process, ended), daemon=True).start()
            for _ in saves(regenerator, ended):
                outcome = regenerator.run()
                show(outcome)
                if isinstance(outcome, Regenerated):
                    _update_sources(project.output, staging)
        finally:
            process.terminate()
            wait_or_kill(process)
    return process.returncode


def _update_sources(output: Path, staging: Path) -> None:
    """Bring the builder's sources up to date, touching only what changed."""
    files = site_sources(output).files
    root = staging / "generated"
    for path in sorted(root.rglob("*"), reverse=True):
        is_source = path.is_relative_to(root / "docs") and path.is_file()
        if is_source and path.relative_to(root).as_posix() not in files:
            path.unlink()
    for name, text in files.items():
        target = root / name
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            write_file(target, text)


def _start(staging: Path, address: str) -> subprocess.Popen[bytes]:
    configuration = staging / "generated" / "mkdocs.yml"
    command = [sys.executable, "-m", "zensical", "serve", "-f", str(configuration), "-a", address]
    return subprocess.Popen(command, cwd=staging, stdin=subprocess.DEVNULL)  # noqa: S603 - ours


def _wait(process: subprocess.Popen[bytes], ended: threading.Event) -> None:
    process.wait()
    ended.set()
