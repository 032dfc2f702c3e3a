"""The compiler as one function: manifest files in, a mapping of path to text out."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from toolfold.emit.cache import Cache
from toolfold.emit.render import render
from toolfold.errors import Problem, UsageError
from toolfold.manifest.load import load
from toolfold.plan.build import build_plan


@dataclass(frozen=True)
class Compiled:
    """What a manifest generates, and what it was warned about."""

    files: dict[PurePosixPath, str]
    warnings: tuple[Problem, ...]
    inputs: tuple[Path, ...]


def compile_manifest(manifest: Path, output: Path, *, use_cache: bool = True) -> Compiled:
    """Everything `manifest` generates for the folder `output`, without touching that folder.

    The output's place matters only for the way from the package back to the implementation.
    """
    loaded = load(manifest)
    plan = build_plan(loaded, _way_back(manifest, output))
    with _cache(manifest.parent if use_cache else None) as cache:
        return Compiled(render(plan, cache), plan.warnings, loaded.files)


def default_output(manifest: Path, output: Path | None) -> Path:
    """Where output goes: `generated/` beside the manifest unless said otherwise."""
    chosen = output or manifest.parent / "generated"
    inside = manifest.parent.resolve()
    if inside == chosen.resolve() or chosen.resolve() in inside.parents:
        raise UsageError(f"{chosen}: holds the manifest; the output needs a folder of its own")
    return chosen


def _way_back(manifest: Path, output: Path) -> str:
    back = os.path.relpath(manifest.parent.resolve(), output.resolve() / "package")
    return Path(back).as_posix()


@contextmanager
def _cache(folder: Path | None) -> Iterator[Cache]:
    cache = Cache(folder)
    try:
        yield cache
    finally:
        cache.close()
