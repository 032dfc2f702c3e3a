"""Reading and writing single files: never through a link, never without an end.

Of the path to what is written, no part below the base may be a link. The base is the folder of the
manifest, or the working directory where there is no manifest; what leads to it is the user's own.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolfold.errors import OutputError

_PATIENCE: Final = 120  # seconds that a run waits for another one


def link_in_the_way(path: Path, base: Path) -> Path | None:
    """The first part of `path` below `base` that is a link, as the path names it; None without one."""
    top = real_path(base)
    for part in (*reversed(path.parents), path):
        if part.is_symlink() and real_path(part.parent).is_relative_to(top):
            return part
    return None


def real_path(path: Path) -> Path:
    """The path without links; also where they lead to nothing, or in a circle."""
    return Path(os.path.realpath(path))  # `Path.resolve` fails for a circle in some Pythons


def refuse_links(path: Path, base: Path) -> None:
    """Raise OutputError where `path`, or a folder between `base` and it, is a link."""
    link = link_in_the_way(path, base)
    if link is not None:
        way_out = "remove it, or name the place that it leads to"
        raise OutputError(f"{link}: a link, and nothing is written through one; {way_out}")


def write_new(path: Path, text: str, base: Path) -> None:
    """Write a file that is not there yet, and the folders above it; after a failure none of them is.

    Raises OutputError where a link or something else is in the way.
    """
    refuse_links(path, base)
    with _new_folders(path.parent):
        try:
            _write(path, text.encode())
        except FileExistsError:
            raise OutputError(f"{path}: in the way; move it away") from None


def replace_file(path: Path, data: bytes, base: Path) -> None:
    """Make a file hold `data` in one step; the folders above it are made.

    Raises OutputError where a link is in the way, or something that is no plain file.
    """
    refuse_links(path, base)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise OutputError(f"{path}: in the way and not a plain file; move it away")
    # A name that nobody can have planted a link at.
    staged = path.with_name(f".{path.name}.{os.urandom(8).hex()}.toolfold-new")
    with _new_folders(path.parent):
        _write(staged, data)
        try:
            staged.replace(path)
        except BaseException:
            staged.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def exclusive(lock: Path) -> Iterator[None]:
    """Hold a lock file, which is there only meanwhile, against other runs.

    Raises OutputError where it cannot be held, or another run holds it for long.
    """
    from filelock import FileLock, Timeout  # a run that writes nothing need not wait for it

    if lock.is_symlink():
        raise OutputError(f"{lock}: a link, and in the way of a lock; remove it")
    held = FileLock(lock, timeout=_PATIENCE)
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        held.acquire()
    except Timeout:
        raise OutputError(f"{lock}: another run has held it for {_PATIENCE} seconds") from None
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{lock.parent}/: nothing can be written there: {reason}") from None
    try:
        yield
    finally:
        # While it is held: whoever waits for the removed file notices, and tries again.
        with contextlib.suppress(OSError):
            lock.unlink()
        held.release()


def read_file(path: Path, limit: int) -> bytes:
    """The content of a plain file; of one that is larger than `limit`, a byte more than that.

    Never waits. Raises OSError where it is no plain file or cannot be read.
    """
    with open(path, "rb", opener=_opened_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a plain file", str(path))
        return file.read(min(limit, status.st_size) + 1)


def _opened_at_once(path: str, flags: int) -> int:
    """Open a file without waiting: a FIFO would hang until somebody writes to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _write(path: Path, data: bytes) -> None:
    """Write a new file; after a failure it is removed."""
    with path.open("xb") as file:  # exclusive: a link in its place is an error, also one to nothing
        try:
            file.write(data)
            file.flush()  # here, where what was begun can still be removed
        except BaseException:
            path.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def _new_folders(folder: Path) -> Iterator[None]:
    """Make a folder and those above it; after a failure those that were made are removed."""
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for part in missing:
            with contextlib.suppress(OSError):
                part.rmdir()
        raise
