"""How long a call may still take."""

from collections.abc import Callable
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

    @property
    def remaining(self) -> float:
        """The seconds left; the clock stops while the user is asked."""
        if self._end is None:
            return 0.0
        return self._end - (self._loop.time() if self._paused is None else self._paused)

    def start(self, seconds: float, expire: Callable[[], None]) -> None:
        """Call `expire` after so many seconds, which count from the first start."""
        if self._end is None:
            self._end = self._loop.time() + seconds
        self._expire = expire
        self._set_timer()

    def stop(self) -> None:
        """Stop the clock for good."""
        self._expire = None
        self._cancel_timer()

    def pause(self) -> None:
        """Stop the clock."""
        self._paused = self._loop.time()
        self._cancel_timer()

    def resume(self) -> None:
        """Let the clock go on."""
        if self._paused is None:
            return
        paused, self._paused = self._loop.time() - self._paused, None
        self.waited += paused
        if self._end is not None:
            self._end += paused
        self._set_timer()

    def _set_timer(self) -> None:
        if self._expire is not None and self._end is not None:
            self._timer = self._loop.call_at(self._end, self._expire)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
