"""Calling the tools of a project from the pages of its preview, through a server of their own."""

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any, Final, cast

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.server import ServerFacts, is_listed, runner_for
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.contract.vocabulary import CONFIRM
from toolfold_runtime.errors import ToolError

from toolfold.develop.processes import wait_or_kill
from toolfold.plan.disclosure.tokens import count
from toolfold.site.tools import catalogs_of

MOST_BYTES: Final = 1_000_000
_PATIENCE: Final = 120.0  # seconds for an answer
_HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "toolfold docs serve", "version": "1"},
}


class TryRefusedError(Exception):
    """A call that is not made, and why."""


class TriedServer:
    """The project's server on stdio: started by the first call, and again after it ended."""

    def __init__(self, manifest: Path, output: Path) -> None:
        base = [sys.executable, "-B", "-m", "toolfold", "serve", "--log", "text"]
        self._command = [*base, "-m", str(manifest), "-o", str(output)]
        self._output = output
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()
        self._id = 0

    def described(self, name: str) -> Json:
        """What a form is made from: the schema of a tool, a valid call and what it may change."""
        entry = self._found(name)[1]
        return {
            "name": entry.name,
            "effect": entry.effect,
            "needsConfirmation": _needs_confirmation(entry),
            "schema": entry.definition.listed()["inputSchema"],
            "example": entry.example or {},
        }

    def call(self, request: Any) -> Json:
        """Call a tool: its answer, the tokens of that, and how long it took.

        A tool that may change something, or asks its user, needs `confirmed`. Raises TryRefusedError.
        """
        if not isinstance(request, dict) or not isinstance(request.get("arguments"), dict):
            raise TryRefusedError("a call has a tool and arguments, which are an object")
        catalog, entry = self._found(str(request.get("tool")))
        if _needs_confirmation(entry) and request.get("confirmed") is not True:
            why = "asks before it is run" if entry.effect == "read" else "may change something"
            raise TryRefusedError(f"{entry.name} {why}: confirm it")
        name, arguments = _as_called(catalog.facts, entry, request["arguments"])
        with self._lock:
            process = self._running()
            start = time.perf_counter()
            result = self._request(process, "tools/call", {"name": name, "arguments": arguments})
            millis = (time.perf_counter() - start) * 1000
        texts = [
            str(part.get("text", f"({part.get('type')})")) for part in result.get("content", [])
        ]
        text = "\n".join(texts)
        is_error = bool(result.get("isError"))
        return {"text": text, "tokens": count(text), "ms": round(millis, 1), "isError": is_error}

    def restart(self) -> None:
        """Have the next call start a new server, which knows what was generated since."""
        with self._lock:
            self._end()

    def close(self) -> None:
        """End the server."""
        self.restart()

    def _found(self, name: str) -> tuple[Catalog, ToolEntry]:
        for catalog in catalogs_of(self._output):
            with contextlib.suppress(ToolError):
                return catalog, catalog.entry(name)
        raise TryRefusedError(f"no tool is named {name}")

    def _running(self) -> "subprocess.Popen[str]":
        process = self._process
        return self._start() if process is None or process.poll() is not None else process

    def _request(self, process: "subprocess.Popen[str]", method: str, params: Json) -> Json:
        answer = self._exchange(process, method, params)
        if "error" in answer:
            raise TryRefusedError(str(answer["error"].get("message", "the server refused")))
        result: Json = answer["result"]
        return result

    def _start(self) -> "subprocess.Popen[str]":
        process = self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._lines = queue.Queue()
        threading.Thread(target=_read, args=(process, self._lines), daemon=True).start()
        self._exchange(process, "initialize", _HELLO)
        self._send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        return process

    def _exchange(self, process: "subprocess.Popen[str]", method: str, params: Json) -> Json:
        self._id += 1
        self._send(process, {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self._end()
                raise TryRefusedError(f"no answer within {_PATIENCE:g} seconds") from None
            if not line:
                self._end()
                raise TryRefusedError("the server ended: see its log in the terminal")
            message: Json = json.loads(line)
            if message.get("method") == "elicitation/create":
                self._send(process, _confirmed(message))
            elif "method" not in message and message.get("id") == self._id:
                return message

    def _send(self, process: "subprocess.Popen[str]", message: Json) -> None:
        stdin = cast("IO[str]", process.stdin)
        try:
            stdin.write(json.dumps(message) + "\n")
            stdin.flush()
        except OSError:
            raise TryRefusedError("the server ended: see its log in the terminal") from None

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            if process.stdin:
                process.stdin.close()  # which asks a server on stdio to end
        wait_or_kill(process)


def _needs_confirmation(entry: ToolEntry) -> bool:
    return entry.effect != "read" or entry.confirm is not None


def _confirmed(question: Json) -> Json:
    """The answer to a question of the server: what was confirmed in the form, and nothing else."""
    head = {"jsonrpc": "2.0", "id": question["id"]}
    if set(question["params"]["requestedSchema"].get("properties", {})) == {CONFIRM}:
        return head | {"result": {"action": "accept", "content": {CONFIRM: True}}}
    return head | {"error": {"code": -32601, "message": "only calls can be confirmed here"}}


def _as_called(facts: ServerFacts, entry: ToolEntry, arguments: Json) -> tuple[str, Json]:
    """Name and arguments of the call: of the tool itself, or of its runner where it has to be."""
    runner = runner_for(facts.runners, entry.effect)
    if facts.unlisted_calls == "allow" or is_listed(entry.name, facts.exposure, facts.hot):
        return entry.name, arguments
    given = json.dumps(arguments) if facts.arguments == "json" else arguments
    return runner, {"tool": entry.name, "arguments": given}


def _read(process: "subprocess.Popen[str]", lines: "queue.Queue[str]") -> None:
    for line in cast("IO[str]", process.stdout):
        lines.put(line)
    lines.put("")
