"""Recording of calls, off their path: a call is appended to a queue, and a thread writes.

Nothing happens before the first call. A store that fails costs no call anything: they are counted
in memory, within a bound, and written when it works again. What is lost is the last second's, of a
process that is killed.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolfold_runtime import server_log
from toolfold_runtime.usage.fold import Event, Folded
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.store import Batch, UsageStore, UsageStoreError

if TYPE_CHECKING:
    from toolfold_runtime.usage.rows import UsageRow

#: Seconds from a call to its place in the store, at most.
_EVERY: Final = 1.0
#: Seconds between attempts at most, while a store fails.
_LONGEST_WAIT: Final = 60.0
#: Calls that may wait for the thread; it takes them every second, but for a write that hangs.
MOST_EVENTS: Final = 50_000
_DAY: Final = 86_400.0


class Recorder:
    """Records calls at a place, which is looked up when the first one has ended."""

    def __init__(self, location: Location | Callable[[], Location | None]) -> None:
        self._locate = location if callable(location) else lambda: location
        self._events: deque[Event] = deque(maxlen=MOST_EVENTS)
        self._wake = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._writer = _Writer(self._locate)
        self._is_idle = self._is_ending = False
        self._ends_at = 0.0
        self._dropped = 0

    @property
    def lost(self) -> int:
        """Calls that were not recorded, for want of room."""
        return self._dropped + self._writer.lost

    @property
    def state(self) -> str:
        """`idle` before the first call, `recording`, or why it cannot."""
        if self._thread is None:
            return "idle"
        return self._writer.problem or "recording"

    def add(self, tool: str, outcome: str, seconds: float) -> None:
        """Record a call that has just ended; takes no lock, and never fails."""
        events = self._events
        if self._is_ending:
            self._dropped += 1
            return
        if len(events) == MOST_EVENTS:
            self._dropped += 1  # the oldest makes room
        events.append(Event(tool, outcome, time.time(), seconds))
        if self._thread is None:
            self._start()
        elif self._is_idle:
            self._is_idle = False
            self._wake.set()

    def close(self, seconds: float = 2.0) -> None:
        """Write what waits, for as long as this; nothing is recorded afterwards."""
        self._ends_at = time.monotonic() + seconds
        self._is_ending = True
        self._wake.set()
        thread = self._thread
        if thread is None:
            return
        # A little longer than it tries: what it says at its end should be read.
        thread.join(seconds + 0.2)
        left = self.lost + self._writer.waiting + len(self._events)
        if left:
            why = self._writer.problem or "there was no more room or time"
            server_log.warning("calls were not recorded", calls=left, why=why)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="toolfold-usage", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # no thread is to be had; the next call tries again
                    return
                self._thread = thread

    def _run(self) -> None:
        while not self._is_ending:
            self._wake.wait(_EVERY)
            self._take()
            self._writer.write()
            self._rest()
        while True:
            self._take()
            self._writer.write(is_last=True)
            if not self._writer.waiting or time.monotonic() > self._ends_at:
                break
            time.sleep(0.05)
        self._writer.close()

    def _take(self) -> None:
        for _ in range(len(self._events)):
            self._writer.add(self._events.popleft())

    def _rest(self) -> None:
        """Wait for the next call where nothing is left to do: a quiet server wakes for nothing."""
        self._wake.clear()
        if self._writer.waiting:
            if self._is_ending:
                self._wake.set()
            return
        self._is_idle = True
        if not self._events and not self._is_ending:  # now that whoever adds one wakes us
            self._wake.wait()
        self._is_idle = False
        self._wake.clear()
        if self._is_ending:
            self._wake.set()


class _Writer:
    """What the thread has and knows: the rows that wait, and the store while it works."""

    def __init__(self, locate: Callable[[], Location | None]) -> None:
        self.lost = 0
        self.problem = ""
        self._locate = locate
        self._folded = Folded()
        self._batch: tuple[Batch, list[UsageRow]] | None = None
        self._store: UsageStore | None = None
        self._name = os.urandom(16).hex()
        self._sequence = 0
        self._wait = _EVERY
        self._next_try = self._next_compaction = 0.0

    @property
    def waiting(self) -> int:
        """How many calls wait to be written."""
        batch = self._batch
        return self._folded.calls + (sum(row.calls for row in batch[1]) if batch else 0)

    def add(self, event: Event) -> None:
        """Add a call to those that wait."""
        if not self._folded.add(event):
            self.lost += 1

    def write(self, *, is_last: bool = False) -> None:
        """Write what waits, unless it is too early to try again."""
        if not is_last and time.monotonic() < self._next_try:
            return
        try:
            self._write_all()
        except Exception as error:  # whatever it is, it must not end the recording
            self._failed(error)
            return
        self._worked()
        self._compact()

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _write_all(self) -> None:
        while self._batch is not None or len(self._folded):
            if self._batch is None:
                self._sequence += 1
                self._batch = Batch(self._name, self._sequence), self._folded.take()
            batch, rows = self._batch
            store = self._store = self._store or self._opened()
            store.add(rows, batch)
            self._batch = None

    def _compact(self) -> None:
        if self._store is None or time.monotonic() < self._next_compaction:
            return
        self._next_compaction = time.monotonic() + _DAY
        try:
            self._store.compact(int(time.time() // 3600))
        except Exception as error:  # calls are recorded all the same
            self.close()
            server_log.warning("usage is not compacted today", why=_reason(error))

    def _opened(self) -> UsageStore:
        from toolfold_runtime.usage.open import open_store  # not before there is something to write

        location = self._locate()
        if location is None:
            raise UsageStoreError("recording is off")
        return open_store(location)

    def _failed(self, error: Exception) -> None:
        self.close()  # a connection that failed is of no more use
        self._next_try = time.monotonic() + self._wait
        self._wait = min(_LONGEST_WAIT, self._wait * 2)
        if not self.problem:
            hint = "calls are served and counted in memory; it is tried again"
            server_log.warning("usage cannot be recorded", why=_reason(error), hint=hint)
        self.problem = _reason(error)

    def _worked(self) -> None:
        self._wait = _EVERY
        self._next_try = 0.0
        if self.problem:
            self.problem = ""
            server_log.warning("usage is recorded again", lost=self.lost)


def _reason(error: Exception) -> str:
    if isinstance(error, UsageStoreError):
        return str(error)
    return f"{type(error).__name__}: {error}"
