"""`toolfold serve --reload`: a server for development, restarted after every save.

Over HTTP the server is simply restarted. Over stdio the client keeps its connection to a proxy in
this process, which initializes each new server as the client initialized the first.
"""

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

from toolfold.commands.generate import Project
from toolfold.develop.processes import wait_or_kill
from toolfold.develop.proxy import StdioProxy
from toolfold.develop.watch import Outcome, Regenerated, Regenerator, saves
from toolfold.errors import ManifestError, OutputError, UsageError
from toolfold.report import report


def serve_and_reload(
    project: Project, arguments: Sequence[str], log: Callable[[str], None], *, over_http: bool
) -> int:
    """Generate and serve; do so again after a save of the manifest or of Python code beside it.

    `arguments` are those of the `toolfold` command that serves without reloading.
    """
    regenerator = Regenerator(project)
    log(_summary(regenerator.run()))
    # Without bytecode: of two saves within a second, Python takes the second for the first where
    # both have the same size.
    command = [sys.executable, "-B", "-m", "toolfold", *arguments]
    client_left = threading.Event()
    server = HttpServer(command) if over_http else StdioProxy(command, client_left)
    try:
        server.restart()
        for paths in saves(regenerator, client_left, with_code=True):
            inputs = {path for path in paths if regenerator.reads(path)}
            outcome = regenerator.run() if inputs else None
            if outcome is not None:
                log(_summary(outcome))
            # Code that was saved is worth a restart even where the manifest is refused.
            if inputs == paths and not isinstance(outcome, Regenerated):
                continue
            server.restart()
            log("restarted")
    finally:
        server.stop()
    return 0


class HttpServer:
    """A server process that listens on its own port."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def restart(self) -> None:
        """End the running server, if any, and start a new one."""
        self.stop()
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)  # noqa: S603 - ours

    def stop(self) -> None:
        """End the running server, if any."""
        if self._process is not None:
            self._process.terminate()
            wait_or_kill(self._process)


def _summary(outcome: Outcome) -> str:
    """A run in one line for the log; stdout may belong to the protocol."""
    if isinstance(outcome, ManifestError):
        return f"{report(outcome.problems)}\nstill serving what was generated before"
    if isinstance(outcome, OutputError | UsageError):
        return str(outcome)
    return "\n".join([f"{len(outcome.written.written)} files written", *outcome.changed_costs])
