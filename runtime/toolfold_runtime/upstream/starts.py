"""A limit on how many programs start at the same time: starting is when they need the processor."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from toolfold_runtime.contract.upstream import UpstreamServer

#: Seconds after which a program that still starts lets the next one begin: it may be waiting for something.
_LONGEST_HOLD: Final = 3.0


class Starts:
    """As many at once as there are processors, two at least."""

    def __init__(self) -> None:
        has_affinity = hasattr(os, "sched_getaffinity")
        cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
        self._slots = asyncio.Semaphore(max(2, cores))

    @asynccontextmanager
    async def slot(self, server: UpstreamServer) -> AsyncIterator[None]:
        """Wait for a turn; servers that run elsewhere need none."""
        if not server.command:
            yield
            return
        await self._slots.acquire()
        timer = asyncio.get_running_loop().call_later(_LONGEST_HOLD, self._slots.release)
        try:
            yield
        finally:
            if asyncio.get_running_loop().time() < timer.when():
                timer.cancel()
                self._slots.release()
