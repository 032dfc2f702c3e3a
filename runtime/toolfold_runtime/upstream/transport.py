"""The connection to a server, by a child's pipes or HTTP; secrets are expanded only here."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.child import Child
from toolfold_runtime.upstream.errors import OutageError, UpstreamError
from toolfold_runtime.upstream.guard import Guard
from toolfold_runtime.upstream.output import ChildLog
from toolfold_runtime.upstream.secrets import Mask, expand, require_variables

if TYPE_CHECKING:
    from toolfold_runtime.upstream.exchange import Streams
    from toolfold_runtime.upstream.pool import HttpPool


class Shared:
    """The resources that connections share: the guard of child processes, and one HTTP pool."""

    def __init__(self, folder: Path | None = None) -> None:
        #: Where relative paths begin: the manifest's folder, else the working directory.
        self.folder = folder
        self.guard = Guard()
        self._pool: HttpPool | None = None

    @property
    def pool(self) -> "HttpPool":
        """The pool of HTTP connections, made when it is first needed."""
        if self._pool is None:
            from toolfold_runtime.upstream.pool import HttpPool

            self._pool = HttpPool()
        return self._pool

    async def close(self) -> None:
        """Let go of everything."""
        self.guard.close()
        if self._pool is not None:
            await self._pool.close()


class Transport:
    """The streams of one connection; and, after its end, what is known about that."""

    def __init__(self, server: UpstreamServer, shared: Shared) -> None:
        self._server = server
        self._shared = shared
        self._child: Child | None = None
        #: For texts of the server that others read.
        self.mask = Mask(server)
        self._log = ChildLog(server.name, self.mask)
        #: Whether the server said that it does not know the session any more.
        self.has_lost_session = False

    @asynccontextmanager
    async def streams(self) -> AsyncIterator["Streams"]:
        """Connect; MissingVariableError names the variables that are not set."""
        require_variables(self._server)
        if self._server.url is not None:
            from toolfold_runtime.upstream.auth import Credentials
            from toolfold_runtime.upstream.http import http_streams

            credentials = Credentials(self._server, self._shared.pool.transport, self.mask)
            streams_of = http_streams(
                self._server, self._shared.pool, credentials, self._lose_session
            )
            async with streams_of as streams:
                yield streams
        elif sys.platform == "win32":  # where a loop cannot read pipes of ours
            raise UpstreamError("servers with a command need a POSIX system")
        else:
            from toolfold_runtime.upstream.stdio import stdio_streams

            self._child = self._started()
            async with stdio_streams(self._child, self._log) as streams:
                yield streams

    def outage(self, fact: str) -> OutageError:
        """The error for a fact, with how a child ended and what it wrote last, where that is known."""
        how = self._child.how_it_ended() if self._child is not None else ""
        tail = f"it wrote: {self._log.tail}" if self._log.tail else ""
        return OutageError(f"{fact} ({how})" if how else fact, tail)

    def _started(self) -> Child:
        server = self._server
        folder = self._shared.folder
        if server.cwd is not None:
            folder = (folder or Path()) / expand(server.cwd)
        if folder is not None and not folder.is_dir():
            raise UpstreamError(f"its working directory {server.cwd} does not exist")
        env = {name: expand(value) for name, value in server.env.items()}
        command = [expand(part) for part in server.command]
        try:
            return Child(command, env, folder, self._shared.guard)
        except OSError as error:
            # Of the declared command: an argument could be secret.
            raise UpstreamError(
                f"{server.command[0]} cannot be started: {error.strerror}"
            ) from None
        except ValueError:
            raise UpstreamError("its command or variables hold a zero byte") from None

    def _lose_session(self) -> None:
        self.has_lost_session = True
