"""The server's log, on stderr: stdout belongs to the protocol.

One JSON object per line where a program reads it, plain lines on a terminal. Values of arguments
and results are not logged. For the author there are two exceptions: the text of an exception, and
the beginning of the value that breaks the schema of a result.
"""

import json
import logging
import os
import select
import stat
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

_STDERR: Final = 2
_LOGGER: Final = logging.getLogger("toolfold")
_NOTICE: Final = logging.WARNING + 5  # shown at the default level
_MAX_TRACE: Final = 20_000
_MAX_ERRORS: Final = 100
_PATIENCE: Final = 0.2  # seconds for whoever reads the log to catch up
logging.addLevelName(_NOTICE, "NOTICE")


def warning(event: str, **facts: object) -> None:
    """Something that an author or operator should look into."""
    _LOGGER.warning(event, extra={"facts": facts})


def error(event: str, **facts: object) -> None:
    """Something that keeps the server from doing what it was started for."""
    _LOGGER.error(event, extra={"facts": facts})


def notice(event: str, **facts: object) -> None:
    """Something that whoever starts a server should see although nothing is wrong."""
    _LOGGER.log(_NOTICE, event, extra={"facts": facts})


def info(event: str, **facts: object) -> None:
    """Something that happened."""
    _LOGGER.info(event, extra={"facts": facts})


def failure(event: str, error: BaseException, **facts: object) -> None:
    """An exception, with its traceback."""
    trace = "".join(_traceback(error))
    if len(trace) > _MAX_TRACE:  # an author's text may be of any length
        trace = f"{trace[: _MAX_TRACE // 2]}\n…\n{trace[-_MAX_TRACE // 2 :]}"
    _LOGGER.error(event, extra={"facts": facts, "trace": trace})


def _traceback(error: BaseException) -> list[str]:
    """The traceback with the text of the exception, unless that would be of thousands of errors."""
    count = getattr(error, "error_count", None)  # as Pydantic's has
    number = count() if callable(count) else 0
    if not isinstance(number, int) or number <= _MAX_ERRORS:
        return traceback.format_exception(error)
    frames = traceback.format_tb(error.__traceback__)
    return [*frames, f"{type(error).__name__}: {number:,} errors"]


def shows_info() -> bool:
    """Whether `info` is written, which is worth asking before its facts are collected."""
    return _LOGGER.isEnabledFor(logging.INFO)


def ensure_stderr() -> None:
    """Send what goes to stderr nowhere, where the process was started without one.

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
    """Write what is buffered; dropped where nobody reads it, or Python would end with an error."""
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _STDERR)
        os.close(nowhere)


def set_up(format_: str | None, level: str) -> None:
    """Write to stderr in the given format; without one, text on a terminal and JSON elsewhere."""
    chosen = format_ or ("text" if sys.stderr.isatty() else "json")
    handler = logging.StreamHandler(_Pipe(sys.stderr) if _is_pipe(sys.stderr) else sys.stderr)
    handler.setFormatter(_JsonLines() if chosen == "json" else _Plain())
    _LOGGER.handlers = [handler]
    _LOGGER.propagate = False
    _LOGGER.setLevel(level.upper())


@contextmanager
def errors_only() -> Iterator[None]:
    """Write nothing but errors meanwhile."""
    level = _LOGGER.level
    _LOGGER.setLevel(logging.ERROR)
    try:
        yield
    finally:
        _LOGGER.setLevel(level)


def _is_pipe(stream: TextIO) -> bool:
    try:
        return os.name == "posix" and stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # no file at all
        return False


class _Pipe:
    """A stream to a pipe that drops what its reader has no room for.

    A client that starts a server and never reads its log would stop it as soon as the pipe is full.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_cut = False

    def write(self, text: str) -> int:
        """Write a line, as far as there is room; one that was cut before is ended first."""
        data = ("\n" * self._is_cut + text).encode("utf-8", "replace")
        descriptor = self._stream.fileno()
        for start in range(0, len(data), select.PIPE_BUF):
            # So much can be written without waiting, or nothing.
            patience = 0 if self._is_cut else _PATIENCE
            if not select.select([], [descriptor], [], patience)[1]:
                self._is_cut = True
                break
            os.write(descriptor, data[start : start + select.PIPE_BUF])
        else:
            self._is_cut = False
        return len(text)

    def flush(self) -> None:
        """Nothing is buffered here."""


class _JsonLines(logging.Formatter):
    """Every record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if hasattr(record, "trace"):
            line["trace"] = record.trace
        return json.dumps(line, ensure_ascii=False, default=str)


class _Plain(logging.Formatter):
    """A line for people, and the traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        facts = "".join(f" {key}={value}" for key, value in getattr(record, "facts", {}).items())
        level = "" if record.levelno == _NOTICE else f"{record.levelname.lower()}: "
        line = f"{level}{record.getMessage()}{facts}"
        return f"{line}\n{record.trace}" if hasattr(record, "trace") else line
