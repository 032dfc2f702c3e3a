"""Between a client on stdio and a server that is started again and again.

Lines are passed on as they come. What the client said to introduce itself is kept, and said again
to each new server, whose answer the client has had already.
"""

import contextlib
import json
import subprocess
import sys
import threading
from typing import Any, BinaryIO, Final

_PATIENCE: Final = 5.0  # seconds for calls under way, and for a new server to answer
_RESTARTED: Final = "the server was restarted before it answered; ask again"
_DOWN: Final = "the server does not run: see its log, mend it and save"

Json = dict[str, Any]


class Relay:
    """A server behind a client's stdio; `ended` is set when the client has gone."""

    def __init__(self, command: list[str], ended: threading.Event) -> None:
        self._command = command
        self._ended = ended
        self._process: subprocess.Popen[bytes] | None = None
        self._is_listening = False
        self._introduction: list[Json] = []
        self._pending: dict[str, Any] = {}
        self._changed = threading.Condition()
        self._out = threading.Lock()

    def restart(self) -> None:
        """Let calls under way finish, end the server, start a new one and introduce the client."""
        with self._changed:
            is_first = not self._is_listening
            self._changed.wait_for(lambda: not self._pending, _PATIENCE)
            self._end()
            self._give_up(_RESTARTED)
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            self._introduce(self._process)
            reader = threading.Thread(target=self._pass_on, args=(self._process,), daemon=True)
            reader.start()
        if is_first:
            self._is_listening = True
            threading.Thread(target=self._listen, daemon=True).start()
        elif self._introduction:
            self._write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    def stop(self) -> None:
        """End the server."""
        with self._changed:
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.close()  # which is how a server on stdio is told to end
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _introduce(self, process: subprocess.Popen[bytes]) -> None:
        """Say again what the client said first, and keep the answer from it."""
        for message in self._introduction:
            if not _send(process, message):
                return
            while "id" in message:
                line = _stdout(process).readline()
                if not line or _parsed(line).get("id") == message["id"]:
                    break

    def _listen(self) -> None:
        """Pass on what the client says, until it hangs up."""
        for line in sys.stdin.buffer:
            message = _parsed(line)
            with self._changed:
                if message.get("method") in ("initialize", "notifications/initialized"):
                    self._introduction.append(message)
                if "method" in message and "id" in message:
                    self._pending[json.dumps(message["id"])] = message["id"]
                process = self._process
                if (process is None or not _send_line(process, line)) and "id" in message:
                    self._pending.pop(json.dumps(message["id"]), None)
                    self._answer_error(message["id"], _DOWN)
        self._ended.set()

    def _pass_on(self, process: subprocess.Popen[bytes]) -> None:
        """Pass on what one server says, until it ends."""
        for line in _stdout(process):
            message = _parsed(line)
            self._write(_announced(message) if "result" in message else message or None, line)
            if "id" in message and "method" not in message:
                with self._changed:
                    self._pending.pop(json.dumps(message["id"]), None)
                    self._changed.notify_all()
        with self._changed:
            if self._process is process:  # it ended by itself
                self._give_up(_DOWN)

    def _give_up(self, why: str) -> None:
        """Answer every call that no server will answer any more."""
        for identity in self._pending.values():
            self._answer_error(identity, why)
        self._pending.clear()
        self._changed.notify_all()

    def _answer_error(self, identity: Any, text: str) -> None:
        error = {"code": -32000, "message": text}
        self._write({"jsonrpc": "2.0", "id": identity, "error": error})

    def _write(self, message: Json | None, line: bytes = b"") -> None:
        data = line if message is None else json.dumps(message).encode() + b"\n"
        with self._out, contextlib.suppress(BrokenPipeError):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def _announced(message: Json) -> Json:
    """An answer to `initialize` promises what only we can keep: to tell when the list changes."""
    result = message["result"]
    if isinstance(result, dict) and isinstance(result.get("capabilities"), dict):
        tools = result["capabilities"].get("tools")
        if isinstance(tools, dict) and "protocolVersion" in result:
            tools["listChanged"] = True
    return message


def _parsed(line: bytes) -> Json:
    with contextlib.suppress(ValueError):
        message = json.loads(line)
        if isinstance(message, dict):
            return message
    return {}


def _send(process: subprocess.Popen[bytes], message: Json) -> bool:
    return _send_line(process, json.dumps(message).encode() + b"\n")


def _send_line(process: subprocess.Popen[bytes], line: bytes) -> bool:
    if process.stdin is None:
        return False
    try:
        process.stdin.write(line)
        process.stdin.flush()
    except (OSError, ValueError):
        return False
    return True


def _stdout(process: subprocess.Popen[bytes]) -> BinaryIO:
    if process.stdout is None:
        raise RuntimeError("started without a pipe")
    stream: Any = process.stdout
    out: BinaryIO = stream
    return out
