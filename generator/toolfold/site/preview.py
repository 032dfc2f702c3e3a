"""`toolfold docs serve`: the site on this machine, made again after every save."""

import ipaddress
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from toolfold.commands.generate import Project
from toolfold.develop.watch import Outcome, Regenerated, Regenerator, saves
from toolfold.errors import OutputError, UsageError
from toolfold.site.build import require_builder
from toolfold.site.files import project_sources, site_files
from toolfold.site.options import CONFIGURATION, read_options
from toolfold.site.preview_server import Preview, PreviewServer
from toolfold.site.try_it import TriedServer


def preview(
    project: Project,
    host: str,
    port: int,
    show: Callable[[Outcome], None],
    say: Callable[[str], None],
) -> int:
    """Serve until interrupted, showing the outcome of each save.

    Pages reload themselves when they were made again. Tools can be tried from their pages where
    nobody but this machine can reach them.
    """
    require_builder()
    regenerator = Regenerator(project)
    first = regenerator.run()
    if isinstance(first, UsageError):
        raise first
    show(first)
    if not isinstance(first, Regenerated) and not (project.output / CONFIGURATION).is_file():
        return 1  # nothing was ever generated, so there is nothing to show
    shown = Preview()
    update = _updater(project, shown, say)
    update()
    tried = TriedServer(project.manifest, project.output) if _is_loopback(host) else None
    try:
        server = PreviewServer(shown, tried, host, port)
    except OSError as error:
        raise UsageError(f"{host}:{port}: {error.strerror or error}; give another --port") from None
    say(f"Serving http://{host}:{server.server_port}/")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with _own_pages_watched(project, update):
            for _ in saves(regenerator):
                outcome = regenerator.run()
                show(outcome)
                if isinstance(outcome, Regenerated):
                    update()
                    if tried:
                        tried.restart()
    finally:
        server.shutdown()
        if tried:
            tried.close()
    return 0


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _updater(project: Project, shown: Preview, say: Callable[[str], None]) -> Callable[[], None]:
    lock = threading.Lock()

    def update() -> None:
        with lock:
            try:
                sources = project_sources(project.manifest.parent, project.output)
                # Here the site is at the root, wherever it will be published.
                files = site_files(replace(sources, options=replace(sources.options, url=None)))
            except (UsageError, OutputError) as error:
                say(str(error))
                return
            shown.replace(files)
            say(f"{len(files):,} files shown")

    return update


@contextmanager
def _own_pages_watched(project: Project, update: Callable[[], None]) -> Iterator[None]:
    """Show pages of one's own again when they are saved."""
    folder = project.manifest.parent
    entries = [folder / entry for entry in read_options(project.output).pages]
    there = [entry for entry in entries if entry.exists()]
    ended = threading.Event()

    def watch_pages(paths: list[Path]) -> None:
        from watchfiles import watch

        for _ in watch(*paths, stop_event=ended, rust_timeout=500):
            update()

    if there:
        threading.Thread(target=watch_pages, args=(there,), daemon=True).start()
    try:
        yield
    finally:
        ended.set()
