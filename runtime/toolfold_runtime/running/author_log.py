"""Sending records that the author's code logs with `logging` to the server's log and to clients.

Of a library only warnings and errors are logged. A client is sent what the author's own code logs
during its call, from the level on that it asked for, and no traceback.
"""

import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from toolfold_runtime import server_log
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.jsontext import sendable
from toolfold_runtime.log_lines import Facts, message_of
from toolfold_runtime.running.call import current
from toolfold_runtime.running.notifications import LONGEST_MESSAGE

# Dependencies of our own, whose details nobody asks for; HTTP clients log addresses, which may hold keys.
_QUIET: Final = (
    "asyncio",
    "httpcore2",
    "httpx2",
    "mcp",
    "opentelemetry",
    "sse_starlette",
    "uvicorn",
)
_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


@contextmanager
def author_log(root: Path, catalog: Catalog) -> Iterator["AuthorLog"]:
    """Take records logged inside the context, also while the author's code is imported.

    It is no handler of the root logger until it is attached, because `basicConfig` does nothing where
    there is one: an author's handlers are set up first.
    """
    logger, handler = logging.getLogger(), AuthorLog(root, catalog)
    before = logging.lastResort, logging.getLoggerClass(), logger.level
    logging.lastResort = _Logger.author_log = handler
    logging.setLoggerClass(_Logger)
    logger.setLevel(min(logger.level, server_log.level()))  # not higher: handlers may want more
    for name in _QUIET:
        dependency = logging.getLogger(name)
        dependency.setLevel(dependency.level or logging.WARNING)
    try:
        yield handler
    finally:
        logger.removeHandler(handler)
        logging.lastResort, kind, level = before
        logging.setLoggerClass(kind)
        logger.setLevel(level)


class AuthorLog(logging.Handler):
    """Takes records of all loggers but the server's own, beside the author's own handlers."""

    def __init__(self, root: Path, catalog: Catalog) -> None:
        super().__init__()
        self._root = _prefix(root)
        self._generated = _prefix(catalog.folder.parent)
        self._module = re.split("[.:]", catalog.facts.implementation or "")[0]

    def attach(self) -> None:
        """Take what is logged from now on, whichever handlers there are."""
        logger = logging.getLogger()
        if self not in logger.handlers:
            logger.addHandler(self)

    def handle(self, record: logging.LogRecord) -> bool:
        """Write and send a record; without a lock, because making its text may take long."""
        is_authors = _is_by_log(record) or self._is_authors(record.pathname)
        least = server_log.level() if is_authors else max(server_log.level(), logging.WARNING)
        if record.levelno >= least and not self._is_shown(record):
            server_log.write(record)
        self.send(record)
        return True

    def send(self, record: logging.LogRecord) -> None:
        """Send a record of the author's to the client of the running call, if it wants it."""
        call = current()
        if call is None or _is_by_log(record) or not call.notifications.wants(record.levelno):
            return
        if self._is_authors(record.pathname):
            call.notifications.log(
                record.levelno, record.name, sendable(message_of(record), LONGEST_MESSAGE)
            )

    def _is_authors(self, path: str) -> bool:
        """Whether code is in the manifest's folder and not installed there, or the implementation's."""
        path = os.path.normcase(path)
        if path.startswith(self._generated):
            return False
        if path.startswith(self._root) and not any(part in path for part in _INSTALLED):
            return True
        module = sys.modules.get(self._module)
        folders = getattr(module, "__path__", None) or ()
        return path == getattr(module, "__file__", None) or any(
            path.startswith(_prefix(Path(folder))) for folder in folders
        )

    def _is_shown(self, record: logging.LogRecord) -> bool:
        """Whether a handler of the author's writes the record to the terminal as well."""
        terminal = (sys.stderr, sys.stdout, sys.__stderr__, sys.__stdout__)
        return any(
            record.levelno >= handler.level and _stream_of(handler) in terminal
            for logger in _propagating(record.name)
            for handler in logger.handlers
            if handler is not self
        )


class _Logger(logging.Logger):
    """A logger that is also enabled for what the client of the running call asked for.

    Unless the author gave it a level. Nobody's handlers see more for that than before.
    """

    author_log: AuthorLog

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 - of the base class
        return super().isEnabledFor(level) or self._is_wanted(level)

    def callHandlers(self, record: logging.LogRecord) -> None:  # noqa: N802 - the same
        if super().isEnabledFor(record.levelno):
            super().callHandlers(record)
        else:
            self.author_log.send(record)

    def _is_wanted(self, level: int) -> bool:
        call = current()
        if call is None or not call.notifications.wants(level) or level <= self.manager.disable:
            return False
        return not any(logger.level for logger in _ancestry(self) if logger is not self.root)


def _prefix(folder: Path) -> str:
    return os.path.normcase(folder.resolve()) + os.sep


def _is_by_log(record: logging.LogRecord) -> bool:
    """Whether a record was made by `toolfold_runtime.log`, which sends it to the client itself."""
    return isinstance(getattr(record, "facts", None), Facts)


def _ancestry(logger: logging.Logger | None) -> Iterator[logging.Logger]:
    """A logger and those above it."""
    while logger is not None:
        yield logger
        logger = logger.parent


def _propagating(name: str) -> Iterator[logging.Logger]:
    """The loggers whose handlers get the records of one."""
    known = logging.root if name == logging.root.name else logging.root.manager.loggerDict.get(name)
    for logger in _ancestry(known if isinstance(known, logging.Logger) else None):
        yield logger
        if not logger.propagate:
            return


def _stream_of(handler: logging.Handler) -> object:
    """The stream that a handler writes to, for handlers of the standard library and `rich`."""
    return getattr(handler, "stream", None) or getattr(
        getattr(handler, "console", None), "file", None
    )
