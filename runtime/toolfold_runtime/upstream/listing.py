"""What a server publishes, asked for once: for importing, for checks, and for `toolfold servers`."""

import asyncio
from pathlib import Path
from typing import NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.errors import UpstreamError


class LiveServer(NamedTuple):
    """A server as it describes itself; definitions of tools are exactly as published."""

    name: str | None
    version: str | None
    instructions: str | None
    protocol_version: str
    tools: list[Json]


async def live_server(
    server: UpstreamServer, seconds: float, folder: Path | None = None
) -> LiveServer:
    """Connect, list all pages of the tools, and close again; UpstreamError says what is wrong.

    Relative paths begin in `folder`. The seconds are those of the server; ending its process
    may take a few more.
    """
    from toolfold_runtime.upstream.definitions import listed
    from toolfold_runtime.upstream.secrets import MissingVariableError, require_variables
    from toolfold_runtime.upstream.session import Session
    from toolfold_runtime.upstream.starts import Starts
    from toolfold_runtime.upstream.transport import Shared

    try:
        require_variables(server)
    except MissingVariableError as error:
        raise UpstreamError(str(error)) from None
    shared = Shared(folder)
    session = Session(server, shared, Starts())
    try:
        async with asyncio.timeout(seconds):
            client = await asyncio.shield(session.ready)
            info = client.server_info
            name, version = (info.name, info.version) if info else (None, None)
            tools = await listed(session)
            return LiveServer(name, version, client.instructions, client.protocol_version, tools)
    except TimeoutError:
        raise UpstreamError(f"did not answer within {seconds:g} s") from None
    except UpstreamError as error:
        raise UpstreamError(error.full) from None
    finally:
        await session.end()
        await shared.close()
