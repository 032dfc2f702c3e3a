"""A way to a PostgreSQL server on which an answer can be lost."""

import contextlib
import re
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

_COMMIT = b"COMMIT\x00"


class Proxy:
    """Carries bytes between clients and the socket of a server."""

    def __init__(self, folder: Path, target: str, dsn: str) -> None:
        self._target = target
        self.dsn = dsn
        #: Whether the next commit is carried out, and its connection ended before the answer.
        self.loses_next_commit = False
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(folder / ".s.PGSQL.5432"))
        self.listening.listen()

    @classmethod
    @contextlib.contextmanager
    def to(cls, dsn: str) -> Iterator[Self]:
        """A proxy to the server of a DSN that names the folder of its socket."""
        (host,) = re.findall(r"host=(.*)$", dsn)
        folder = Path(tempfile.mkdtemp(prefix="tfpx"))
        proxy = cls(folder, f"{host}/.s.PGSQL.5432", dsn.replace(host, str(folder)))
        thread = threading.Thread(target=proxy.serve)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            proxy.listening.close()
            shutil.rmtree(folder)

    def serve(self) -> None:
        """Take one client after the other until the socket is shut down."""
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            with client, socket.socket(socket.AF_UNIX) as server:
                server.connect(self._target)
                self._carry(client, server)

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        """Question and answer in turn, which is how the driver speaks."""
        answers = threading.Thread(target=_copy, args=(server, client))
        answers.start()
        with contextlib.suppress(OSError):
            while data := client.recv(65_536):
                if self.loses_next_commit and data.endswith(_COMMIT):
                    self.loses_next_commit = False
                    client.shutdown(socket.SHUT_RDWR)
                server.sendall(data)
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_WR)
        answers.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
