"""Where results of earlier runs are stored: one file per manifest in the user's cache folder.

The file is read whole and replaced whole, and holds what the last successful run used and no
more. Only speed depends on it: whatever is wrong with it, a run goes on as if it were empty.
"""

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Final

_MAX_BYTES: Final = 1 << 28  # a larger file is not worth reading
_SUFFIX: Final = ".memo"


class Store:
    """Texts by key, from run to run. This one holds nothing; `FileStore` does."""

    @property
    def is_empty(self) -> bool:
        """Whether no earlier run has left anything."""
        return True

    def get(self, key: str) -> str | None:
        """The text stored under a key, or None."""
        return None

    def put(self, key: str, text: str) -> None:
        """Store a text, which has no line break, under a key."""

    def save(self) -> None:
        """Write what this run read or stored, and drop everything else."""


class FileStore(Store):
    """The store of one manifest: a header line, then `key digest text` on each line."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self._path = path
        self._header = f"toolfold memo {fingerprint}".encode()
        self._stored = self._read()
        self._used: dict[str, bytes] = {}
        self._has_new = False

    @property
    def is_empty(self) -> bool:
        """Whether no earlier run has left anything."""
        return not self._stored

    def get(self, key: str) -> str | None:
        """The text stored under a key, unless it is missing or damaged."""
        line = self._used.get(key) or self._stored.get(key)
        if line is None:
            return None
        digest, _, text = line.partition(b" ")
        if digest != _digest(key, text):
            return None
        self._used[key] = line
        return text.decode("utf-8", "replace")

    def put(self, key: str, text: str) -> None:
        """Store a text, which has no line break, under a key."""
        data = text.encode()
        self._used[key] = _digest(key, data) + b" " + data
        self._has_new = True

    def save(self) -> None:
        """Replace the file by what this run used, if that differs; a failure changes nothing."""
        if not self._has_new and len(self._used) == len(self._stored):
            return
        with contextlib.suppress(OSError):
            if _is_safe_folder(self._path.parent) and _is_absent_or_own_file(self._path):
                self._replace()

    def _read(self) -> dict[str, bytes]:
        content = _content(self._path, self._header + b"\n")
        entries = (line.partition(b" ") for line in content.split(b"\n"))
        return {key.decode("ascii", "replace"): rest for key, _, rest in entries if rest}

    def _replace(self) -> None:
        handle, name = tempfile.mkstemp(_SUFFIX, ".new-", self._path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self._header)
                file.writelines(b"\n%b %b" % (k.encode(), line) for k, line in self._used.items())
            Path(name).replace(self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def store_for(manifest: Path, fingerprint: str) -> Store:
    """The store of a manifest; an empty one where no folder outside its repository can be used."""
    try:
        folder = cache_folder()
        if any(map(folder.resolve().is_relative_to, _repositories_of(manifest))):
            return Store()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_safe_folder(folder):
            return Store()
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return Store()
    name = hashlib.sha256(os.fsencode(manifest.resolve())).hexdigest()[:32]
    return FileStore(folder / f"{name}{_SUFFIX}", fingerprint)


def cache_folder() -> Path:
    """TOOLFOLD_CACHE, or the platform's folder for caches of this user."""
    named = os.environ.get("TOOLFOLD_CACHE")
    if named:
        return Path(named).absolute()
    from platformdirs import user_cache_path  # not needed where the variable is set

    return user_cache_path("toolfold", appauthor=False)


def _repositories_of(manifest: Path) -> Iterator[Path]:
    """The outermost git repository of a manifest, or its folder; as named, and without links.

    A home folder that is a repository does not count: nobody else commits to it.
    """
    for folder in (manifest.absolute().parent, manifest.resolve().parent):
        above = (parent for parent in (folder, *folder.parents) if parent != Path.home())
        repositories = [parent for parent in above if (parent / ".git").exists()]
        yield (repositories[-1] if repositories else folder).resolve()


def _is_safe_folder(folder: Path) -> bool:
    """Whether this is a folder of this user's, and no link to one."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and _is_own(status)


def _is_absent_or_own_file(path: Path) -> bool:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return True
    return stat.S_ISREG(status.st_mode) and _is_own(status)


def _is_own(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _content(path: Path, header: bytes) -> bytes:
    """The content after the header; empty unless this is a regular file of this user's, and no link."""
    # Without waiting: opening a FIFO would otherwise hang until somebody writes to it.
    names = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")  # as far as the system has them
    flags = reduce(or_, (getattr(os, name, 0) for name in names), os.O_RDONLY)
    try:
        if not _is_absent_or_own_file(path):  # where the system knows no O_NOFOLLOW
            return b""
        with os.fdopen(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            is_ours = stat.S_ISREG(status.st_mode) and _is_own(status)
            is_usable = (
                is_ours and status.st_size <= _MAX_BYTES and file.read(len(header)) == header
            )
            return file.read(_MAX_BYTES) if is_usable else b""
    except (OSError, MemoryError):
        return b""


def _digest(key: str, data: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b" " + data).hexdigest().encode()
