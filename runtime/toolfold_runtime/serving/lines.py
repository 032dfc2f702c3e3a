"""Reading messages from standard input; an unreadable request becomes the error to answer."""

import json
import os
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from toolfold_runtime.lines import Line, LineBuffer, id_at_edges, readable_id

MOST_BYTES: Final = 16_000_000
_CHUNK: Final = 65_536


class Refusal(NamedTuple):
    """The answer to a request that cannot be read."""

    answer: JSONRPCError


class Lines:
    """Reads a descriptor line by line; of a line that is too long, only its ends are stored."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = LineBuffer(MOST_BYTES)
        self._has_ended = False

    def read(self) -> list[JSONRPCMessage | Refusal] | None:
        """Wait for the next messages; None at the end."""
        while not self._has_ended:
            messages = [message for line in self._lines() if (message := _message(line))]
            if messages:
                return messages
        return None

    def _lines(self) -> Iterator[Line]:
        try:
            data = os.read(self._descriptor, _CHUNK)
        except OSError:  # a terminal that is gone
            data = b""
        if data:
            yield from self._buffer.feed(data)
        else:
            self._has_ended = True
            yield self._buffer.end()


def _message(line: Line) -> JSONRPCMessage | Refusal | None:
    if line.is_whole:
        return message_of(line.data)
    text = f"a line has more than {MOST_BYTES:,} bytes; send less at once"
    return _refusal(INVALID_REQUEST, text, id_at_edges(line.data))


def message_of(line: bytes) -> JSONRPCMessage | Refusal | None:
    """The message in a line, or the refusal to send; None if the line needs neither.

    What is no request gets no answer: a blank line, a notification or a response.
    """
    if not line or line.isspace():
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return _refusal_of(line, error)
    # A request whose id is no id would be taken for a notification.
    if isinstance(message, JSONRPCNotification) and b'"id"' in line and "id" in json.loads(line):
        return _refusal(INVALID_REQUEST, _WRONG_ID)
    return message


_WRONG_ID: Final = "`id` must be a text or a whole number"
_REASONS: Final = {
    "recursion limit": "more than 200 levels; send flatter values",
    "hex escape": "half of a surrogate pair in a text; send the whole character",
    "surrogate": "half of a surrogate pair in a text; send the whole character",
    "number out of range": "a number of too many digits; send a shorter one",
}


def _refusal_of(line: bytes, error: ValidationError) -> Refusal | None:
    reason = _reason(error)
    try:
        value: Any = json.loads(line)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return _refusal(PARSE_ERROR, f"no JSON: {reason}")
    except (RecursionError, ValueError):  # thousands of levels, or of digits
        return _refusal(INVALID_REQUEST, reason, id_at_edges(line))
    if not isinstance(value, dict):
        text = "a message is one object on a line of its own; there are no batches"
        return _refusal(INVALID_REQUEST, text)
    is_response = "method" not in value and ("result" in value or "error" in value)
    if is_response or ("method" in value and "id" not in value):
        return None
    return _refusal(*_fault(value, reason), readable_id(value.get("id")))


def _reason(error: ValidationError) -> str:
    """The parser's reason, in our own words for what only this parser refuses."""
    text = error.errors(include_url=False, include_context=False)[0]["msg"]
    known = (words for part, words in _REASONS.items() if part in text)
    return next(known, text.removeprefix("Invalid JSON: "))


def _fault(request: dict[str, Any], reason: str) -> tuple[int, str]:
    """What is wrong with a request that is JSON; `reason` if its form is right."""
    if request.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, '`jsonrpc` must be "2.0"'
    if not isinstance(request.get("method"), str):
        return INVALID_REQUEST, "`method` must be a text"
    if not isinstance(request.get("params", {}), dict | None):
        return INVALID_PARAMS, "`params` must be an object"
    if readable_id(request.get("id")) is None:
        return INVALID_REQUEST, _WRONG_ID
    return INVALID_REQUEST, reason


def _refusal(code: int, text: str, request_id: str | int | None = None) -> Refusal:
    error = ErrorData(code=code, message=text)
    return Refusal(JSONRPCError(jsonrpc="2.0", id=request_id, error=error))
