"""Expensive pieces kept by content: what went in decides the key, so nothing can be stale.

Only speed depends on it: any trouble with the file means working without.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_FOLDER: Final = ".toolfold_cache"
_MAX_BYTES: Final = 512 * 1024 * 1024
_CHUNK: Final = 500


class Cache:
    """Texts by key, in one SQLite file beside the manifest; None as folder keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._database: sqlite3.Connection | None = None
        if folder is not None and (folder / _FOLDER).is_dir():
            self._database = _open(folder)

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is known, so that all work will have to be done."""
        return self._database is None

    def get(self, keys: Iterable[str]) -> dict[str, str]:
        """Those of `keys` that are known, each checked against the digest it was kept with."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, str] = {}
        if self._database is None:
            return found
        with contextlib.suppress(sqlite3.Error):
            for start in range(0, len(wanted), _CHUNK):
                part = wanted[start : start + _CHUNK]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, digest, text FROM pieces WHERE key IN ({marks})"  # noqa: S608 - only marks
                for key, digest, text in self._database.execute(query, part):
                    if isinstance(text, str) and digest == _digest(text):
                        found[key] = text
        return found

    def put(self, pieces: Mapping[str, str]) -> None:
        """Keep texts under their keys."""
        if self._database is None and self._folder is not None:
            self._database = _open(self._folder)
        if self._database is None:
            return
        rows = [(key, _digest(text), text) for key, text in pieces.items()]
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.executemany("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            self._database.close()
        self._folder = self._database = None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def cache_folder(beside: Path) -> Path:
    """The cache's folder in `beside`, made if need be, and ignored by git."""
    folder = beside / _FOLDER
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    return folder


def _open(beside: Path) -> sqlite3.Connection | None:
    try:
        folder = cache_folder(beside)
    except OSError:
        return None
    path = folder / "pieces.sqlite"
    with contextlib.suppress(OSError):
        if path.exists() and path.stat().st_size > _MAX_BYTES:
            path.unlink()
    for _ in range(2):
        try:
            return _connect(path)
        except sqlite3.Error:
            with contextlib.suppress(OSError):
                path.unlink()
    return None


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=10)
    try:
        # A cache may lose its last writes in a power cut; it may not slow every run.
        database.execute("PRAGMA synchronous=OFF")
        database.execute(
            "CREATE TABLE IF NOT EXISTS pieces"
            " (key TEXT PRIMARY KEY, digest TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID"
        )
        database.execute("SELECT key, digest, text FROM pieces LIMIT 1").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database
