"""Replacing a folder in one step, or in two where the system has no call for that."""

import contextlib
import ctypes
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from pathlib import Path
from typing import Final

from toolfold.disk import exclusive
from toolfold.errors import OutputError
from toolfold.plan.text.paths import OutputPath

_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2  # Linux: linux/fs.h
_RENAME_SWAP: Final = 2  # macOS: sys/stdio.h


def build_and_swap(output: Path, fresh: Mapping[OutputPath, str], kept: Set[str]) -> None:
    """Make `output` a folder of the `fresh` texts and the `kept` files, in one step.

    Kept files are linked, so they stay the very same files. The caller holds the lock.
    """
    new = _new(output)
    try:
        new.mkdir()
        if output.exists():
            _link_kept(output, new, kept)
        for folder in sorted({path.rpartition("/")[0] for path in fresh}):
            (new / folder).mkdir(parents=True, exist_ok=True)
        base = str(new)
        for path, text in fresh.items():
            with open(f"{base}/{path}", "xb") as file:  # noqa: PTH123 - pathlib is slow by thousands
                file.write(text.encode())
        _replace(new, output)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror or error}") from None
    finally:
        _remove(new)


@contextlib.contextmanager
def locked(output: Path) -> Iterator[None]:
    """Lock `output` against other runs, and clean up after a run that died."""
    _refuse_foreign_remains(output)
    with exclusive(_lock(output)):
        _recover(output)
        yield


def has_remains(output: Path) -> bool:
    """Whether a run that died, or one that still runs, left temporary files beside the output."""
    return any(os.path.lexists(path(output)) for path in (_new, _old, _lock))


def _refuse_foreign_remains(output: Path) -> None:
    """Raise OutputError if something foreign has the name of one of our temporary folders."""
    for path, is_ours in ((_new, stat.S_ISDIR), (_old, stat.S_ISDIR), (_lock, stat.S_ISREG)):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            if not is_ours(path(output).lstat().st_mode):
                raise OutputError(
                    f"{path(output)}: in the way, and not from toolfold; move it away"
                )


def _lock(output: Path) -> Path:
    return output.with_name(f".{output.name}.toolfold-lock")


def _new(output: Path) -> Path:
    return output.with_name(f".{output.name}.toolfold-new")


def _old(output: Path) -> Path:
    return output.with_name(f".{output.name}.toolfold-old")


def _remove(path: Path) -> None:
    """Remove a folder, also one whose parts were made read-only; of anything else, its name.

    A link is removed and never followed.
    """

    def unlock(function: Callable[[str], object], name: str, _: object) -> None:
        with contextlib.suppress(OSError):
            for part in (Path(name).parent, Path(name)):
                if part.is_relative_to(path) and part.is_dir() and not part.is_symlink():
                    part.chmod(stat.S_IRWXU)
            function(name)

    if _is_folder(path):
        shutil.rmtree(path, onerror=unlock)
    elif os.path.lexists(path):
        path.unlink()


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def walk(folder: str, below: str = "") -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    """Every file and every empty folder below a folder, by path.

    What cannot be looked into is passed over, and so is Python's own cache.
    """
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError:
        return
    for entry in entries:
        path = f"{below}{entry.name}"
        if not entry.is_dir(follow_symlinks=False):
            yield path, entry
        elif entry.name != "__pycache__":
            inside = False
            for inner in walk(entry.path, f"{path}/"):
                inside = True
                yield inner
            if not inside:
                yield path, entry


def _link_kept(output: Path, new: Path, kept: Set[str]) -> None:
    """Link every kept file, foreign link and empty foreign folder of the old tree."""
    shutil.copymode(output, new)
    base = str(new)
    folders: set[str] = set()
    for path, entry in walk(str(output)):
        is_folder = entry.is_dir(follow_symlinks=False)
        folder = path if is_folder else path.rpartition("/")[0]
        if is_folder or path in kept or not entry.is_file(follow_symlinks=False):
            if folder not in folders:
                _make_like(output / folder, new / folder, output)
                folders.add(folder)
            if not is_folder:
                _link(entry.path, f"{base}/{path}")


def _make_like(old: Path, new: Path, top: Path) -> None:
    """Make a folder and those above it, with the permissions that they have in the old tree."""
    if new.exists():
        return
    if old != top:
        _make_like(old.parent, new.parent, top)
    new.mkdir(exist_ok=True)
    shutil.copymode(old, new)


def _link(old: str, new: str) -> None:
    try:
        os.link(old, new, follow_symlinks=False)
    except OSError:
        # A file system without hard links: a copy with the same times serves as well.
        shutil.copy2(old, new, follow_symlinks=False)


def _replace(new: Path, output: Path) -> None:
    if not output.exists():
        new.rename(output)
    elif not _exchange(new, output):
        _replace_in_two_steps(new, output)


def _exchange(first: Path, second: Path) -> bool:
    """Swap two folders atomically; False where the system or file system has no such call."""
    library = ctypes.CDLL(None) if os.name == "posix" else object()
    one, two = os.fsencode(first), os.fsencode(second)
    if sys.platform.startswith("linux") and hasattr(library, "renameat2"):
        result: int = library.renameat2(_AT_FDCWD, one, _AT_FDCWD, two, _RENAME_EXCHANGE)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        result = library.renamex_np(one, two, _RENAME_SWAP)
    else:
        return False
    return result == 0


def _replace_in_two_steps(new: Path, output: Path) -> None:
    """Replace the folder by two renames; between them the old tree is where `_recover` looks."""
    old = _old(output)
    output.rename(old)
    new.rename(output)
    _remove(old)


def _recover(output: Path) -> None:
    """Restore the old tree of a run that died between the two renames; delete other remains."""
    _remove(_new(output))
    old = _old(output)
    if _is_folder(old) and not os.path.lexists(output):
        old.rename(output)
    _remove(old)
