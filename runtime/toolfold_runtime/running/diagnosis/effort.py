"""How much work may go into one diagnosis."""

import time
from typing import Final

_MAX_STEPS: Final = 200_000
_MAX_SECONDS: Final = 0.5


class Effort:
    """The budget of steps and time for diagnosing one value."""

    def __init__(self) -> None:
        self._steps = 0
        # Of this thread's own work: on a busy machine the same value gets the same answer.
        self._end = time.thread_time() + _MAX_SECONDS

    def spend(self, steps: int) -> None:
        """Count so many steps."""
        self._steps += steps

    @property
    def is_spent(self) -> bool:
        """Whether there were too many steps, or they took too long."""
        return self._steps > _MAX_STEPS or time.thread_time() > self._end
