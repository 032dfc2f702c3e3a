"""How long a call may still take."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class Deadline:
    """The end of a call's time, which moves on while its user is asked."""

    def __init__(self, loop: "asyncio.AbstractEventLoop") -> None:
        #: Seconds that the user took to answer, which are not the tool's.
        self.waited = 0.0
        self._loop = loop
        self._end: float | None = None
        self._paused: float | None = None
        self._expire: Callable[[], None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def timer(self, seconds: float, expire: Callable[[], None]) -> Iterator[None]:
        """Call `expire` once so many seconds are over, which begin when this is first used."""
        if self._end is None:
            self._end = self._loop.time() + seconds
        self._expire = expire
        self._start()
        try:
            yield
        finally:
            self._stop()
            self._expire = None

    def pause(self) -> None:
        """Stop the clock."""
        self._paused = self._loop.time()
        self._stop()

    def resume(self) -> None:
        """Let the clock go on."""
        if self._paused is None:
            return
        paused, self._paused = self._loop.time() - self._paused, None
        self.waited += paused
        if self._end is not None:
            self._end += paused
        self._start()

    def _start(self) -> None:
        if self._expire is not None and self._end is not None:
            self._timer = self._loop.call_at(self._end, self._expire)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
