"""`toolfold docs serve`: the site on this machine, built again after every save of the manifest."""

import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from toolfold.commands.generate import Project
from toolfold.develop.watch import Loop, Regenerated, Tell, saves
from toolfold.site.build import require_builder, stage


def preview(project: Project, address: str, tell: Tell) -> int:
    """Serve until interrupted; pages reload themselves when the builder has built them again."""
    require_builder()
    loop = Loop(project)
    first = loop.run()
    tell(first)
    if not isinstance(first, Regenerated) and not (project.output / "mkdocs.yml").is_file():
        return 1  # nothing was ever generated, so there is nothing to show
    with tempfile.TemporaryDirectory(suffix=".toolfold-new") as folder:
        workshop = Path(folder)
        _restage(project.output, workshop)
        process = _start(workshop, address)
        ended = threading.Event()
        threading.Thread(target=_wait, args=(process, ended), daemon=True).start()
        try:
            for _ in saves(loop, ended):
                done = loop.run()
                tell(done)
                if isinstance(done, Regenerated):
                    _restage(project.output, workshop)
        finally:
            process.terminate()
            process.wait()
    return process.returncode


def _restage(output: Path, workshop: Path) -> None:
    """Bring the builder's sources up to date, touching only what changed."""
    wanted = stage(output)
    root = workshop / "generated"
    for path in sorted(root.rglob("*"), reverse=True):
        is_source = path.is_relative_to(root / "docs") and path.is_file()
        if is_source and path.relative_to(root).as_posix() not in wanted.files:
            path.unlink()
    for name, text in wanted.files.items():
        target = root / name
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")


def _start(workshop: Path, address: str) -> subprocess.Popen[bytes]:
    configuration = workshop / "generated" / "mkdocs.yml"
    command = [sys.executable, "-m", "zensical", "serve", "-f", str(configuration), "-a", address]
    return subprocess.Popen(command, cwd=workshop, stdin=subprocess.DEVNULL)  # noqa: S603 - ours


def _wait(process: subprocess.Popen[bytes], ended: threading.Event) -> None:
    process.wait()
    ended.set()
