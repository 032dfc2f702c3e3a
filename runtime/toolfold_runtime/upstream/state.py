"""The state of a server, written to the log when it changes."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from toolfold_runtime import server_log

Status: TypeAlias = Literal["unused", "connecting", "connected", "idle", "failing"]


@dataclass
class ServerState:
    """The state of one server; with a connection per caller, that of the newest."""

    name: str
    status: Status = "unused"
    #: When the status began.
    since: str = ""
    calls: int = 0
    #: Calls that were not carried out, of those.
    failed_calls: int = 0
    connections: int = 0
    last_error: str = ""
    #: When it began to fail, if it does.
    failing_since: str = ""

    def change(self, status: Status, **facts: object) -> None:
        """Note a new status and log it; a failure as a warning."""
        if status == self.status:
            return
        self.status, self.since = status, _now()
        if status == "connected":
            self.failing_since = ""
        if status != "connecting":
            server_log.notice(f"{self.name}: {status}", **facts)

    def fail(self, why: str) -> None:
        """Note a failure, and log it where it is another one than before."""
        is_new = not self.failing_since or why != self.last_error
        self.failing_since = self.failing_since or _now()
        self.last_error = why
        if self.status != "failing":
            self.status, self.since = "failing", _now()
        if is_new:
            server_log.warning(f"{self.name}: failing", error=why, since=self.failing_since)

    def report(self) -> None:
        """At the end, log a summary of a server that was used."""
        if self.status != "unused":
            error = {"last_error": self.last_error} if self.last_error else {}
            counts = {"calls": self.calls, "failed": self.failed_calls}
            server_log.notice(f"{self.name}: {self.status} at the end", **counts, **error)


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
