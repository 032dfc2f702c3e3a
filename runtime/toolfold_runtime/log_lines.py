"""Records of a log as lines: JSON where a program reads them, text for people.

What authors log is of any length and type, and making a text of it may fail or take long. So every
line is bounded, and made before the stream is locked: whoever makes it waits for it, and nobody else.
"""

import json
import logging
import math
import os
import re
import select
import stat
import traceback
from itertools import islice
from typing import Any, Final, TextIO

#: The logger of the server itself, and a level of its own that the default one shows.
OWN: Final = "toolfold"
NOTICE: Final = logging.WARNING + 5
logging.addLevelName(NOTICE, "NOTICE")

_LONGEST: Final = 20_000
_LONGEST_VALUE: Final = 1_000
_MOST_VALUES: Final = 20  # of one object or list
_DEEPEST: Final = 3
_MAX_ERRORS: Final = 100
_PATIENCE: Final = 0.2  # seconds for whoever reads the log to catch up
# What a terminal would obey; tabs and ends of lines are text.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Facts(dict[str, Any]):
    """The facts of a record beside its message."""


class LineHandler(logging.Handler):
    """Writes records to a stream."""

    def __init__(self, stream: TextIO, formatter: logging.Formatter) -> None:
        super().__init__()
        self._stream = _Pipe(stream) if _is_pipe(stream) else stream
        self.setFormatter(formatter)

    def handle(self, record: logging.LogRecord) -> bool:
        """Write a record; the text is made before the lock is taken, unlike in the base class."""
        line = self.format(record) + "\n"
        self.acquire()
        try:
            self._stream.write(line)
            self._stream.flush()
        except (OSError, ValueError):
            pass  # nobody reads it
        finally:
            self.release()
        return True


class JsonLines(logging.Formatter):
    """Every record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
            "level": record.levelname.lower(),
        }
        if record.name != OWN:
            line["logger"] = record.name
        line["event"] = shortened(message_of(record))
        line = with_facts(line, _facts(record))
        trace = _trace(record)
        if trace:
            line["trace"] = trace
        return json.dumps(line, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """A line for people, and the traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and what is below it."""
        level = "" if record.levelno == NOTICE else f"{record.levelname.lower()}: "
        logger = "" if record.name == OWN else f"{record.name}: "
        facts = "".join(f" {key}={value}" for key, value in _facts(record).items())
        trace = _trace(record)
        text = f"{level}{logger}{shortened(message_of(record))}{facts}"
        if trace:
            text += f"\n{trace}"
        return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def message_of(record: logging.LogRecord) -> str:
    """The message of a record, whatever its arguments are."""
    try:
        return _exact(record.getMessage())
    except Exception as error:
        return f"{text_of(record.msg)} ({type(error).__name__} when its message was made)"


def trace_of(error: BaseException) -> str:
    """The traceback with the text of the exception, shortened."""
    return shortened("".join(_traceback(error)))


def shortened(text: str) -> str:
    """A text; a long one without its middle."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n…\n{text[-half:]}"


def plain_facts(facts: dict[str, object]) -> Facts:
    """Facts as JSON has them, bounded; what JSON does not have is text."""
    plain = Facts(_plain(facts, 0))
    text = json.dumps(plain, ensure_ascii=False)
    return plain if len(text) <= _LONGEST else Facts(facts=shortened(text))


def with_facts(line: dict[str, object], facts: Facts) -> dict[str, object]:
    """The line with facts beside what it says; one of the same name gets another."""
    return line | {f"{key}_" if key in line else key: value for key, value in facts.items()}


def text_of(value: object) -> str:
    """The beginning of the text of any object, without halves of surrogate pairs."""
    try:
        text = _exact(value if isinstance(value, str) else str(value))
    except Exception:
        return f"<{type(value).__name__} that has no text>"
    beginning = text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
    return beginning.encode("utf-8", "replace").decode()


def _plain(value: object, depth: int) -> Any:
    """The value where it is exactly of a type of JSON: subclasses may run code of their own."""
    if value is None or type(value) is bool:
        return value
    if type(value) is int and abs(value) < 2**63:
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is dict and depth <= _DEEPEST:
        items = islice(value.items(), _MOST_VALUES)
        return {text_of(key): _plain(inner, depth + 1) for key, inner in items}
    if type(value) in (list, tuple) and isinstance(value, list | tuple) and depth <= _DEEPEST:
        return [_plain(inner, depth + 1) for inner in value[:_MOST_VALUES]]
    return text_of(value)


def _exact(text: str) -> str:
    """The characters of a text, whose class may be one of an author's."""
    return str.__str__(text)


def _facts(record: logging.LogRecord) -> Facts:
    facts = getattr(record, "facts", None)
    return facts if isinstance(facts, Facts) else Facts()  # an author's may be anything


def _trace(record: logging.LogRecord) -> str:
    if record.name == OWN:
        return getattr(record, "trace", "")
    error = record.exc_info[1] if record.exc_info else None
    trace = trace_of(error) if error is not None else ""
    return "\n".join(part for part in (trace, shortened(record.stack_info or "")) if part)


def _traceback(error: BaseException) -> list[str]:
    """The traceback with the text of the exception, unless that would be of thousands of errors."""
    count = getattr(error, "error_count", None)  # as Pydantic's has
    number = count() if callable(count) else 0
    if not isinstance(number, int) or number <= _MAX_ERRORS:
        return traceback.format_exception(error)
    frames = traceback.format_tb(error.__traceback__)
    return [*frames, f"{type(error).__name__}: {number:,} errors"]


def _is_pipe(stream: TextIO) -> bool:
    try:
        return os.name == "posix" and stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # no file at all
        return False


class _Pipe:
    """A stream to a pipe that drops text while the pipe is full.

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
