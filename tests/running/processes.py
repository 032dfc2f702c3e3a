"""A generated server in a process of its own, spoken to over stdio in raw messages."""

import json
import os
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any, Self

from tests.disclosure.catalogs import Json, Project, project

_SECONDS = 60


def served_by(folder: Path, tools: dict[str, Json], implementation: str, **more: Any) -> Project:
    """A project with an implementation in a file beside its manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "implementation.py").write_text(implementation, encoding="utf-8")
    manifest = {
        "toolfold": 1,
        "server": {"name": "running", "version": "1", "implementation": "implementation:Tools"},
        "categories": {"all": {}},
        "tools": tools,
        **more,
    }
    return project(folder, manifest)


class Speaking:
    """A server over stdio; answers are collected by id as they come, in any order."""

    def __init__(self, made: Project, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"{made.package}.server", *arguments],
            env={**os.environ, "PYTHONPATH": str(made.output), **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.answers: dict[Any, list[Json]] = defaultdict(list)
        self.said: list[str] = []
        self._came = threading.Condition()
        self._readers = [
            threading.Thread(target=self._listen, daemon=True),
            threading.Thread(target=self._log, daemon=True),
        ]

    def __enter__(self) -> Self:
        self.listen()
        hello = {"name": "test", "version": "1"}
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": hello}
        self.send({"id": "hello", "method": "initialize", "params": about})
        self.wait("hello")
        self.send({"method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def send(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def call(self, number: Any, name: str, /, **arguments: Any) -> None:
        """Send a call without waiting for its answer."""
        params = {"name": name, "arguments": arguments}
        self.send({"id": number, "method": "tools/call", "params": params})

    def wait(self, *numbers: Any) -> list[Json]:
        """The answers to these calls, once all are there."""
        with self._came:
            there = self._came.wait_for(
                lambda: all(self.answers[number] for number in numbers), _SECONDS
            )
        assert there, f"no answer to {[n for n in numbers if not self.answers[n]][:5]}"
        return [self.answers[number][0] for number in numbers]

    def wait_for_word(self, word: str) -> None:
        """Come back once the server's log holds a word."""
        with self._came:
            assert self._came.wait_for(lambda: word in "".join(self.said), _SECONDS), word

    def end(self) -> int:
        """Go away, and the exit code of the server."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        code = self.process.wait(_SECONDS)
        for reader in self._readers:
            reader.join(_SECONDS)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        return code

    def listen(self) -> None:
        """Take in what the server says."""
        for reader in self._readers:
            reader.start()

    def resident(self) -> int:
        """Memory in use, in kB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(next(row for row in status.splitlines() if row.startswith("VmRSS")).split()[1])

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)  # every line is a message, or this thread says so
            with self._came:
                self.answers[message.get("id")].append(message)
                self._came.notify_all()

    def _log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._came:
                self.said.append(line)
                self._came.notify_all()


def text_of(answer: Json) -> str:
    return str(answer["result"]["content"][0]["text"])
