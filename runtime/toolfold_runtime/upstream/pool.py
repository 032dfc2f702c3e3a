"""Connections over HTTP, for all servers together."""

from typing import Final

import httpx2

_KEPT_ALIVE: Final = 100


class HttpPool:
    """The connections to all servers; a client of its own for each would cost a TLS context each."""

    def __init__(self) -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=_KEPT_ALIVE)
        self.transport = httpx2.AsyncHTTPTransport(limits=limits)

    async def close(self) -> None:
        """Close all connections."""
        await self.transport.aclose()
