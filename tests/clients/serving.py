"""A generated server in a process of its own: how to start it, and one that listens on loopback."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_SECONDS: Final = 30


def command(package: str, *options: str) -> list[str]:
    """The command that serves a generated package."""
    return [sys.executable, "-m", f"{package}.server", *options]


@contextlib.contextmanager
def listening(package: str, output: Path, *options: str) -> Iterator[str]:
    """The address of a server over HTTP, which is ended afterwards."""
    port = _free_port()
    with subprocess.Popen(
        command(package, "--http", "--port", str(port), *options),
        env=os.environ | {"PYTHONPATH": str(output)},
        stdout=subprocess.DEVNULL,
    ) as server:
        try:
            _wait_for(port, server)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            _end(server)


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, f"the server ended with {server.returncode}"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on {port} after {_SECONDS} s")


def _end(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(15)
    except subprocess.TimeoutExpired:
        server.kill()
        raise AssertionError("the server does not stop when it is told to") from None
