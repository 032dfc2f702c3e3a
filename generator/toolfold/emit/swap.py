"""Replacing a folder in one step, with what to do where the system cannot."""

import contextlib
import ctypes
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from toolfold.errors import OutputError

_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2  # Linux: linux/fs.h
_RENAME_SWAP: Final = 2  # macOS: sys/stdio.h


def build_and_swap(
    output: Path, fresh: Mapping[PurePosixPath, str], kept: Iterable[PurePosixPath]
) -> None:
    """Make `output` a folder of the `fresh` texts and the `kept` files, in one step.

    Kept files are linked, so they stay the very same files. The caller holds the lock, so any
    half-built folder found here was left by a run that died.
    """
    new = output.with_name(f".{output.name}.toolfold-new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    if output.exists():
        _carry(output, new, set(kept))
    for path, text in fresh.items():
        target = new / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    _replace(new, output)
    shutil.rmtree(new, ignore_errors=True)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold `folder` against other runs; on systems without such locks, hope."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        _recover(folder)
        yield
    finally:
        os.close(handle)


def _carry(output: Path, new: Path, kept: set[PurePosixPath]) -> None:
    """Link every kept file, foreign link and non-empty foreign folder of the old tree."""
    for folder, folders, names in os.walk(output):
        folders[:] = [name for name in folders if name != "__pycache__"]
        relative = PurePosixPath(Path(folder).relative_to(output).as_posix())
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in [*names, *links]:
            old = Path(folder, name)
            if relative / name in kept or old.is_symlink() or not old.is_file():
                target = new / relative / name
                target.parent.mkdir(parents=True, exist_ok=True)
                _link(old, target)
        if not folders and not names:
            (new / relative).mkdir(parents=True, exist_ok=True)


def _link(old: Path, new: Path) -> None:
    try:
        os.link(old, new, follow_symlinks=False)
    except OSError:
        # A file system without hard links: a copy with the same times serves as well.
        shutil.copy2(old, new, follow_symlinks=False)


def _replace(new: Path, output: Path) -> None:
    try:
        if not output.exists():
            new.rename(output)
        elif not _exchange(new, output):
            _replace_in_two_steps(new, output)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"{output}: cannot be replaced: {reason}") from None


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
    """The next best thing: between the two renames the old tree waits where `_recover` looks."""
    old = output.with_name(f".{output.name}.toolfold-old")
    shutil.rmtree(old, ignore_errors=True)
    output.rename(old)
    new.rename(output)
    shutil.rmtree(old, ignore_errors=True)


def _recover(folder: Path) -> None:
    """Put back an old tree whose run died between the two renames; drop one that is done with."""
    for old in folder.glob(".*.toolfold-old"):
        output = folder / old.name.removeprefix(".").removesuffix(".toolfold-old")
        if output.exists():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.rename(output)
