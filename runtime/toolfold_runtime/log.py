"""The server's log, on stderr: stdout belongs to the protocol.

One JSON object per line where a program reads it, plain lines on a terminal. Values of arguments
and results are never logged; the text of an author's exception is, for the author.
"""

import json
import logging
import sys
import traceback
from typing import Any, Final

_LOGGER: Final = logging.getLogger("toolfold")


def warning(event: str, **facts: Any) -> None:
    """Something that an author or operator should look into."""
    _LOGGER.warning(event, extra={"facts": facts})


def info(event: str, **facts: Any) -> None:
    """Something that happened."""
    _LOGGER.info(event, extra={"facts": facts})


def failure(event: str, error: BaseException, **facts: Any) -> None:
    """An exception, with its traceback."""
    trace = "".join(traceback.format_exception(error))
    _LOGGER.error(event, extra={"facts": facts, "trace": trace})


def is_chatty() -> bool:
    """Whether every call is logged."""
    return _LOGGER.isEnabledFor(logging.INFO)


def set_up(form: str | None, level: str) -> None:
    """Write to stderr in the given form; without one, text on a terminal and JSON elsewhere."""
    chosen = form or ("text" if sys.stderr.isatty() else "json")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if chosen == "json" else _Plain())
    _LOGGER.handlers = [handler]
    _LOGGER.propagate = False
    _LOGGER.setLevel(level.upper())


class _JsonLines(logging.Formatter):
    """Every record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        made: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if hasattr(record, "trace"):
            made["trace"] = record.trace
        return json.dumps(made, ensure_ascii=False, default=str)


class _Plain(logging.Formatter):
    """A line for people, and the traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        facts = "".join(f" {key}={value}" for key, value in getattr(record, "facts", {}).items())
        line = f"{record.levelname.lower()}: {record.getMessage()}{facts}"
        return f"{line}\n{record.trace}" if hasattr(record, "trace") else line
