"""What servers publish now, asked of several at once; no tool is run."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from toolfold_runtime import server_log
from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.errors import UpstreamError
from toolfold_runtime.upstream.listing import LiveServer, live_server

#: The default seconds for a server to start and to list its tools.
PATIENCE: Final = 60.0
# Starting an interpreter or Node takes a core for a second.
_AT_ONCE: Final = max(4, 2 * (os.cpu_count() or 1))

#: Called with how many servers have answered, and how many there are.
Progress = Callable[[int, int], None]


class Listing(NamedTuple):
    """What one server answered, or why it did not."""

    live: LiveServer | None
    error: str
    seconds: float


def list_servers(
    servers: Sequence[UpstreamServer],
    folder: Path,
    seconds: float = PATIENCE,
    progress: Progress = lambda done, total: None,
) -> list[Listing]:
    """Ask every server for its tools, in order; relative paths begin in `folder`.

    What servers write to their stderr is left out; the end of it is part of a failure.
    """
    with server_log.errors_only():
        return asyncio.run(_list_all(servers, folder, seconds, progress))


async def _list_all(
    servers: Sequence[UpstreamServer], folder: Path, seconds: float, progress: Progress
) -> list[Listing]:
    turns = asyncio.Semaphore(_AT_ONCE)
    answered = 0

    async def listed(server: UpstreamServer) -> Listing:
        nonlocal answered
        async with turns:
            listing = await _list_one(server, folder, seconds)
        answered += 1
        progress(answered, len(servers))
        return listing

    if servers:
        progress(0, len(servers))
    return await asyncio.gather(*map(listed, servers))


async def _list_one(server: UpstreamServer, folder: Path, seconds: float) -> Listing:
    start = time.monotonic()
    try:
        live, error = await live_server(server, seconds, folder), ""
    except UpstreamError as failure:
        live, error = None, str(failure)
    return Listing(live, error, time.monotonic() - start)
