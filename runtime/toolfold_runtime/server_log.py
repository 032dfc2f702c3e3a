"""The server's log, on stderr: stdout belongs to the protocol.

One JSON object per line where a program reads it, plain lines on a terminal. Values of arguments
and results are not logged. For the author there are two exceptions: the text of an exception, and
the beginning of the value that breaks the schema of a result.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from toolfold_runtime.log_lines import (
    NOTICE,
    OWN,
    Facts,
    JsonLines,
    LineHandler,
    TextLines,
    trace_of,
)

_STDERR: Final = 2
_LOGGER: Final = logging.getLogger(OWN)


def warning(event: str, **facts: object) -> None:
    """Something that an author or operator should look into."""
    _log(logging.WARNING, event, facts)


def error(event: str, **facts: object) -> None:
    """Something that keeps the server from doing what it was started for."""
    _log(logging.ERROR, event, facts)


def notice(event: str, **facts: object) -> None:
    """Something that whoever starts a server should see, though nothing is wrong."""
    _log(NOTICE, event, facts)


def info(event: str, **facts: object) -> None:
    """Something that happened."""
    _log(logging.INFO, event, facts)


def failure(event: str, error: BaseException, **facts: object) -> None:
    """An exception, with its traceback."""
    _log(logging.ERROR, event, facts, trace=trace_of(error))


def shows_info() -> bool:
    """Whether `info` is written; ask before collecting expensive facts for it."""
    return _LOGGER.isEnabledFor(logging.INFO)


def ensure_stderr() -> None:
    """Discard stderr if the process was started without one.

    Otherwise whatever is opened next takes its place, and is written to as if it were stderr.
    """
    if sys.stderr is not None:
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != _STDERR:
        os.dup2(nowhere, _STDERR)
        os.close(nowhere)
    sys.stderr = os.fdopen(_STDERR, "w", encoding="utf-8", closefd=False)


def end() -> None:
    """Flush the log; errors are ignored if nobody reads it any more."""
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _STDERR)
        os.close(nowhere)


def set_up(format_: str | None, level: str) -> None:
    """Write to stderr in the given format; without one, text on a terminal and JSON elsewhere."""
    chosen = format_ or ("text" if sys.stderr.isatty() else "json")
    _LOGGER.handlers = [LineHandler(sys.stderr, JsonLines() if chosen == "json" else TextLines())]
    _LOGGER.propagate = False
    _LOGGER.setLevel(level.upper())


@contextmanager
def errors_only() -> Iterator[None]:
    """Write nothing but errors meanwhile."""
    before = _LOGGER.level
    _LOGGER.setLevel(logging.ERROR)
    try:
        yield
    finally:
        _LOGGER.setLevel(before)


def level() -> int:
    """The lowest level that is written."""
    return _LOGGER.level


def write(record: logging.LogRecord) -> None:
    """Write a record of another logger, in the format of this log."""
    for handler in _LOGGER.handlers:
        handler.handle(record)


def _log(level: int, event: str, facts: dict[str, object], **more: str) -> None:
    _LOGGER.disabled = False  # an author's `dictConfig` disables all loggers that it does not name
    _LOGGER.log(level, event, extra={"facts": Facts(facts), **more})
