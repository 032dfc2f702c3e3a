"""`toolfold docs build`: a static site, which replaces an earlier one only when it is complete."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolfold.disk import refuse_links
from toolfold.errors import OutputError
from toolfold.plan.text.header import MARK
from toolfold.site.files import SiteSources, site_files

_OWNERSHIP_FILE: Final = ".gitignore"
_OWNERSHIP_TEXT: Final = f"# {MARK}a manifest; `toolfold docs build` replaces this folder.\n*\n"


@dataclass(frozen=True)
class Site:
    """A site that was built, and its number of pages."""

    folder: Path
    pages: int


def build_site(sources: SiteSources, target: Path, base: Path) -> Site:
    """Make a site in `target`.

    Raises OutputError where something else than a site is in the way, or a link below `base`.
    """
    require_builder()
    refuse_links(target, base)
    _refuse_foreign(target)
    with _staging_folder(target) as staging:
        built = staging / "site"
        write_files(built, site_files(sources))
        write_file(built / _OWNERSHIP_FILE, _OWNERSHIP_TEXT.encode())
        _replace(built, target, staging)
    return Site(target, len(sources.pages))


def require_builder() -> None:
    """Raise ModuleNotFoundError now, before any work, where the extra is not installed."""
    import pyromark  # noqa: F401 - only to know that it is there


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a folder, by their paths."""
    for parent in sorted({(folder / name).parent for name in files}):
        parent.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def write_file(path: Path, content: bytes) -> None:
    """Write a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _refuse_foreign(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise OutputError(f"{target}: not a folder; give another with --site")
    mark = target / _OWNERSHIP_FILE
    is_ours = mark.is_file() and MARK in mark.read_text(encoding="utf-8", errors="replace")
    if target.is_dir() and any(target.iterdir()) and not is_ours:
        raise OutputError(f"{target}: was not built by toolfold; give another with --site")


@contextmanager
def _staging_folder(target: Path) -> Iterator[Path]:
    """A folder beside the target, so that the finished site only has to be renamed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(".toolfold-new", f".{target.name}.", target.resolve().parent)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from None
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _replace(built: Path, target: Path, staging: Path) -> None:
    try:
        if target.exists():
            target.rename(staging / "old")
        built.rename(target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be replaced: {error.strerror or error}") from None
