"""A program: an interpreter that has imported what servers and commands import, and forks.

    python forking.py FD     where FD is a socket

Each message on the socket starts one process: the length of a JSON object in four bytes, with the
descriptors of its standard streams and of a pipe; then the object, with the folder, the environment
and the arguments of Python: `-m MODULE …` or `-c CODE …`. The pipe gets a line with the process id
and, once the process has ended, one with its exit code.

A process that is started so has everything of its own but the imports, which cost more than a
second of a server's start. The interpreter ends with the other side of the socket.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
from typing import Any, TextIO

_IMPORTS = (
    *("toolfold.cli.main", "toolfold.compile", "toolfold.commands.generate"),
    *("toolfold.commands.call", "toolfold.implementation.compare", "toolfold.importing.run"),
    *("toolfold.emit.models.shapes", "datamodel_code_generator.parser.jsonschema"),
    *("datamodel_code_generator.config", "splintr"),
    *("toolfold_runtime.serving.serve", "toolfold_runtime.serving.http"),
    *("toolfold_runtime.serving.protocol", "toolfold_runtime.running.execute"),
    *("mcp", "mcp.server.stdio", "mcp.server.streamable_http_manager", "uvicorn"),
)
_OWN_PATH = os.environ.get("PYTHONPATH", "").split(os.pathsep)

Request = dict[str, Any]


def serve(listening: socket.socket) -> Request | None:
    """In a new process what it is to do; nothing in this one, once the other side is gone."""
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([listening.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
        _report_ended(running)
        if listening.fileno() not in ready:
            continue
        size, descriptors, _, _ = socket.recv_fds(listening, 4, 4)
        if not size:
            for child in running:
                os.killpg(child, signal.SIGKILL)  # of tests that were killed themselves
            return None
        request = json.loads(_read(listening, int.from_bytes(size, "big")))
        child = os.fork()
        if child == 0:
            _become_a_process_of_its_own(descriptors)
            loaded: Request = request
            return loaded
        *streams, running[child] = descriptors
        for stream in streams:
            os.close(stream)
        with contextlib.suppress(OSError):  # it did so itself and went on
            os.setpgid(child, child)
        os.write(running[child], f"{child}\n".encode())


def _report_ended(running: dict[int, int]) -> None:
    for child, pipe in list(running.items()):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            with contextlib.suppress(BrokenPipeError):  # nobody asks any more
                os.write(pipe, f"{os.waitstatus_to_exitcode(status)}\n".encode())
            os.close(pipe)
            del running[child]


def _read(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += connection.recv(size - len(data))
    return data


def _become_a_process_of_its_own(descriptors: list[int]) -> None:
    os.setpgid(0, 0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def run(request: Request) -> None:
    """What the interpreter would do with these arguments in this folder and environment."""
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    kind, program, *arguments = request["arguments"]
    path = os.environ.get("PYTHONPATH")
    first = request["folder"] if kind == "-m" else ""
    rest = [entry for entry in sys.path[1:] if entry not in _OWN_PATH]
    sys.path[:] = [first, *(path.split(os.pathsep) if path else ()), *rest]
    # New objects: the old ones remember what the descriptors were before.
    sys.stdout, sys.stderr = _text(sys.stdout), _text(sys.stderr)
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]
    tempfile.tempdir = None
    importlib.invalidate_caches()
    sys.argv = [kind, *arguments]
    if kind == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})


def _text(stream: TextIO) -> io.TextIOWrapper:
    is_unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    is_error = stream is sys.stderr
    # Open until the process ends.
    raw = open(stream.fileno(), "wb", 0 if is_unbuffered else -1, closefd=False)  # noqa: SIM115
    return io.TextIOWrapper(
        raw,
        stream.encoding,
        stream.errors,
        line_buffering=is_error,
        write_through=is_unbuffered,
    )


if __name__ == "__main__":
    for module in _IMPORTS:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    todo = serve(socket.socket(fileno=int(sys.argv[1])))
    if todo is not None:
        run(todo)
