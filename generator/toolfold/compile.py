"""The compiler as one function: manifest files in, a mapping of path to text out."""

import gc
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolfold.emit.models.modules import Modelling
from toolfold.emit.models.worker import Progress, Worker
from toolfold.emit.render import render
from toolfold.errors import ManifestError, Problem
from toolfold.manifest.glance import UnsureError, glance
from toolfold.manifest.load import Loaded, examine
from toolfold.memo.fingerprint import code_fingerprint
from toolfold.memo.store import Cache
from toolfold.plan.catalog import finish_plan, plan_tools
from toolfold.plan.disclosure.budgets import start_tokens
from toolfold.plan.kept import kept_for
from toolfold.plan.model import Cost, Plan
from toolfold.plan.text.paths import OutputPath

_LARGE: Final = 300_000  # bytes: some hundreds of tools


@dataclass(frozen=True)
class Compiled:
    """What a manifest generates, what it was warned about, and what was read for it."""

    files: dict[OutputPath, str]
    warnings: tuple[Problem, ...]
    inputs: dict[Path, str]
    patterns: tuple[str, ...]
    exposure: str
    costs: tuple[Cost, ...]


def compile_manifest(
    manifest: Path,
    way_back: str = "../..",
    cache: Cache | None = None,
    progress: Progress = lambda done, total: None,
) -> Compiled:
    """Everything `manifest` generates, without touching any output folder.

    `way_back` leads from the generated package to the manifest's folder, where the
    implementation is imported from.
    """
    cache = cache or Cache(None)
    if not cache.is_empty:
        # Any mistake is told from a reading of the whole.
        with suppress(UnsureError, ManifestError):
            return _compiled(glance, manifest, way_back, cache, progress)
    return _compiled(examine, manifest, way_back, cache, progress)


def _compiled(
    load: Callable[[Path], Loaded], manifest: Path, way_back: str, cache: Cache, progress: Progress
) -> Compiled:
    with closing(Worker()) as worker:
        if cache.is_empty and _is_large(manifest):
            worker.start()
        modelling = Modelling(cache, worker, progress)
        with _no_collection():
            loaded = load(manifest)
            planned = plan_tools(loaded, kept_for(loaded, cache, code_fingerprint()))
            modelling.begin(planned)
            plan = finish_plan(planned, way_back)
        files = render(plan, modelling, cache)
    patterns = (*loaded.manifest.include, *loaded.manifest.overlays)
    return Compiled(files, plan.warnings, loaded.inputs, patterns, _said(plan), plan.costs)


def _said(plan: Plan) -> str:
    """Which exposure was chosen, and what each would cost an agent to start with."""
    direct = next(cost.tokens for cost in plan.costs if cost.budget == "direct")
    start = start_tokens(plan.costs)
    return f"{plan.exposure} (every tool listed: {direct:,} tokens; inventory: {start:,})"


def _is_large(manifest: Path) -> bool:
    return manifest.is_file() and manifest.stat().st_size > _LARGE


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from walking, again and again, a plan that only grows."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_on:
            gc.enable()
