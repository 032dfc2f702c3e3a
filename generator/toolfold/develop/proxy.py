"""A proxy between a client on stdio and a server that is restarted after every save.

Lines are passed on as they come. The client's own initialization is recorded and repeated to each
new server, whose answer to it is dropped: the client has had one already.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
from typing import BinaryIO, Final, cast

from toolfold_runtime.contract.codec import Json

from toolfold.develop.processes import wait_or_kill

_GRACE: Final = 5.0  # seconds for calls under way
_RESTARTED: Final = "the server was restarted before it answered; ask again"
_DOWN: Final = "the server does not run: see its log, mend it and save"


#: The lists of a server, which may differ after a restart.
_LISTS: Final = ("tools", "prompts", "resources")


class StdioProxy:
    """A server behind a client's stdio; `client_left` is set when the client has gone."""

    def __init__(self, command: list[str], client_left: threading.Event) -> None:
        self._command = command
        self._client_left = client_left
        self._process: subprocess.Popen[bytes] | None = None
        self._is_listening = False
        self._initialization: list[Json] = []
        #: The lists whose changes were announced to the client.
        self._promised: list[str] = []
        #: The ids of requests without an answer, by their JSON: an id may be a number or text.
        self._pending: dict[str, object] = {}
        self._changed = threading.Condition()
        self._stdout_lock = threading.Lock()

    def restart(self) -> None:
        """Let calls under way finish, end the server, and start and initialize a new one."""
        with self._changed:
            is_first = not self._is_listening
            self._changed.wait_for(lambda: not self._pending, _GRACE)
            self._end_server()
            self._fail_pending(_RESTARTED)
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            self._initialize(self._process)
            arguments = (self._process,)
            threading.Thread(target=self._forward_answers, args=arguments, daemon=True).start()
        if is_first:
            self._is_listening = True
            threading.Thread(target=self._forward_requests, daemon=True).start()
        elif self._initialization:
            for name in self._promised:
                method = f"notifications/{name}/list_changed"
                self._write(_encoded({"jsonrpc": "2.0", "method": method}))

    def stop(self) -> None:
        """End the server."""
        with self._changed:
            self._end_server()

    def _end_server(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            _stdin(process).close()  # which asks a server on stdio to end
        wait_or_kill(process)

    def _initialize(self, process: subprocess.Popen[bytes]) -> None:
        """Repeat the client's initialization to a new server, and drop its answers."""
        for message in self._initialization:
            if not _send(process, _encoded(message)):
                return
            while "id" in message:
                line = _stdout(process).readline()
                if not line or _message_in(line).get("id") == message["id"]:
                    break

    def _forward_requests(self) -> None:
        """Pass on what the client sends, until it hangs up."""
        # Not `sys.stdin` itself: Python cannot end while a thread waits for that.
        for line in os.fdopen(sys.stdin.fileno(), "rb", closefd=False):
            message = _message_in(line)
            with self._changed:
                if message.get("method") in ("initialize", "notifications/initialized"):
                    self._initialization.append(message)
                # A message without a method is an answer of the client's, to a question of a server's.
                is_request = "method" in message and isinstance(message.get("id"), str | int)
                if is_request:
                    self._pending[json.dumps(message["id"])] = message["id"]
                process = self._process
                if (process is None or not _send(process, line)) and is_request:
                    self._pending.pop(json.dumps(message["id"]), None)
                    self._send_error(message["id"], _DOWN)
        self._client_left.set()

    def _forward_answers(self, process: subprocess.Popen[bytes]) -> None:
        """Pass on what one server sends, until it ends."""
        for line in _stdout(process):
            message = _message_in(line)
            if "result" in message:
                self._promised = _announce_list_changes(message["result"]) or self._promised
            self._write(_encoded(message) if message else line)
            if "id" in message and "method" not in message:
                with self._changed:
                    self._pending.pop(json.dumps(message["id"]), None)
                    self._changed.notify_all()
        with self._changed:
            if self._process is process:  # it ended by itself
                self._end_server()  # which for a moment might still be sent something
                self._fail_pending(_DOWN)

    def _fail_pending(self, reason: str) -> None:
        """Answer every request that no server will answer any more."""
        for request_id in self._pending.values():
            self._send_error(request_id, reason)
        self._pending.clear()
        self._changed.notify_all()

    def _send_error(self, request_id: object, text: str) -> None:
        error = {"code": -32000, "message": text}
        self._write(_encoded({"jsonrpc": "2.0", "id": request_id, "error": error}))

    def _write(self, line: bytes) -> None:
        with self._stdout_lock, contextlib.suppress(BrokenPipeError):
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()


def _announce_list_changes(result: object) -> list[str]:
    """Announce `listChanged` in an answer to `initialize`: this proxy sends it after a restart.

    Returns the kinds of lists; none for any other answer.
    """
    if not isinstance(result, dict) or "protocolVersion" not in result:
        return []
    capabilities = result.get("capabilities")
    offered = capabilities if isinstance(capabilities, dict) else {}
    promised = [name for name in _LISTS if isinstance(offered.get(name), dict)]
    for name in promised:
        offered[name]["listChanged"] = True
    return promised


def _message_in(line: bytes) -> Json:
    """The message in a line; empty where there is none."""
    with contextlib.suppress(ValueError, RecursionError):
        message = json.loads(line)
        if isinstance(message, dict):
            return message
    return {}


def _encoded(message: Json) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _send(process: subprocess.Popen[bytes], line: bytes) -> bool:
    """Send a line to a server; whether it could be sent."""
    try:
        _stdin(process).write(line)
        _stdin(process).flush()
    except (OSError, ValueError):
        return False
    return True


def _stdin(process: subprocess.Popen[bytes]) -> BinaryIO:
    return cast("BinaryIO", process.stdin)  # every server here is started with a pipe


def _stdout(process: subprocess.Popen[bytes]) -> BinaryIO:
    return cast("BinaryIO", process.stdout)
