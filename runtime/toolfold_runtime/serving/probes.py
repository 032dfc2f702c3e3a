"""Health checks for supervisors and load balancers: whether the server runs, and is ready."""

from asyncio import Event
from typing import Final

from toolfold_runtime.asgi import Application, Message, Receive, Send, send_text

_ALIVE: Final = "/livez"
_READY: Final = "/readyz"
_METHODS: Final = ("GET", "HEAD")
_UNCACHED: Final = (b"cache-control", b"no-store")


class Probes:
    """An application that says how the server is, without a token, and passes on all else."""

    def __init__(self, application: Application, stopping: Event) -> None:
        self._application = application
        self._stopping = stopping

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a probe: 200, or 503 for readiness once the server is stopping."""
        if scope["type"] != "http" or scope["path"] not in (_ALIVE, _READY):
            await self._application(scope, receive, send)
        elif scope["method"] not in _METHODS:
            allowed = ", ".join(_METHODS).encode()
            await send_text(send, 405, "Method Not Allowed", (b"allow", allowed), _UNCACHED)
        elif scope["path"] == _READY and self._stopping.is_set():
            await send_text(send, 503, "stopping", _UNCACHED)
        else:
            await send_text(send, 200, "ok", _UNCACHED)
