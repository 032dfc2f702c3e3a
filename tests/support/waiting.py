"""How long tests wait: for events and conditions, never for a time."""

import threading
import time
from collections.abc import Callable
from typing import Final

#: Seconds after which what a test waits for is given up. No test needs them, however busy the
#: machine: only what hangs takes so long, and fails.
PATIENCE: Final = 240


def wait_until(is_so: Callable[[], bool], complaint: str) -> None:
    """Poll until a claim holds; a claim that never does fails the test."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, complaint
        threading.Event().wait(0.02)
