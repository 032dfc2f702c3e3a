"""The log output of child processes, in our log: labelled with the server, and limited in rate."""

import asyncio
import re
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from toolfold_runtime import server_log
from toolfold_runtime.hidden import HIDDEN
from toolfold_runtime.lines import LineBuffer
from toolfold_runtime.upstream.secrets import Mask

_LONGEST_LINE: Final = 1_000
_TAIL_LINES: Final = 5
#: So many lines at once, and so many a second after that.
_BURST: Final = 20
_RATE: Final = 1.0
_HIDDEN: Final = re.compile(f"[{HIDDEN}]")


class ChildLog:
    """Writes lines of one server to the log; lines above a rate are only counted."""

    def __init__(
        self, server: str, mask: Mask, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._server = server
        self._mask = mask
        self._clock = clock
        self._room = float(_BURST)
        self._last = clock()
        self._omitted = 0
        self._tail: deque[bytes] = deque(maxlen=_TAIL_LINES)

    @property
    def tail(self) -> str:
        """The last lines that it wrote, on one line; empty where it wrote none."""
        return " | ".join(map(self._shown, self._tail))

    def write(self, line: bytes) -> None:
        """Log a line, unless there were too many; those are counted in the next one."""
        line = line[:_LONGEST_LINE].rstrip()
        if not line:
            return
        # As it came: of a flood no line costs more than that, or it would hold up all other calls.
        self._tail.append(line)
        now = self._clock()
        self._room = min(_BURST, self._room + _RATE * (now - self._last))
        self._last = now
        if self._room < 1:
            self._omitted += 1
            return
        self._room -= 1
        self._report_omitted()
        server_log.notice(f"{self._server}: {self._shown(line)}")

    def end(self) -> None:
        """Say how much was omitted at the end."""
        self._report_omitted()

    def _shown(self, line: bytes) -> str:
        return self._mask(_HIDDEN.sub("�", line.decode("utf-8", "replace")))

    def _report_omitted(self) -> None:
        if self._omitted:
            server_log.notice(f"{self._server}: … {self._omitted:,} lines were left out")
            self._omitted = 0


class ErrorOutput(asyncio.Protocol):
    """Reads the standard error of a child to its end."""

    def __init__(self, log: ChildLog) -> None:
        self._log = log
        self._lines = LineBuffer(_LONGEST_LINE)
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember what to close."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Log the lines that are complete."""
        for line in self._lines.feed(data):
            self._log.write(line.data)

    def connection_lost(self, _: Exception | None) -> None:
        """Log what has no end of line."""
        self._log.write(self._lines.end().data)

    def close(self) -> None:
        """Read no more."""
        if self._transport is not None:
            self._transport.close()
