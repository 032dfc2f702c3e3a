"""Several processes behind one listening socket: started, watched, replaced and ended by a parent.

The parent binds the socket, forks the workers before anything of the author's is imported, and
does nothing else, so that a worker which dies is replaced by another fork of the same clean state.
A pipe whose other end only the parent holds tells the workers when it is gone, however it ended.
"""

import contextlib
import os
import secrets
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from toolfold_runtime import server_log
from toolfold_runtime.errors import StartError
from toolfold_runtime.serving.asking import KEYS_VARIABLE
from toolfold_runtime.serving.http import address_of

_ENDING: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)
# Beyond the time for calls: for backends to close, and for usage to be written.
_GRACE: Final = 5.0
# A worker that lived so long is replaced at once; one that did not, ever later.
_STEADY: Final = 30.0
_FIRST_DELAY: Final = 0.25
_LONGEST_DELAY: Final = 30.0
# Workers that end before they serve, in a row, after which it is no use to try again if none does.
_MOST_FAILED_STARTS: Final = 5


@dataclass(frozen=True)
class Worker:
    """A worker's link to its parent: the shared socket, and a way to report that it serves."""

    bound: socket.socket
    _ready: int

    def serves(self) -> None:
        """Tell the parent that requests are taken from now on."""
        with contextlib.suppress(OSError):  # a parent that is gone has other ways to be missed
            os.write(self._ready, f"{os.getpid()}\n".encode())


def run_workers(
    count: int, bound: socket.socket, seconds: float, work: Callable[[Worker], int]
) -> None:
    """Run `work` in so many processes until a signal comes, which then ends this one too.

    Calls under way get so many `seconds` when it is time to stop. StartError where processes cannot
    be forked, or none of them comes to serve.
    """
    if not hasattr(os, "fork"):
        way_out = "run several servers behind a load balancer instead"
        raise StartError(f"--workers needs a system that forks processes; {way_out}")
    if not os.environ.get(KEYS_VARIABLE):
        os.environ[KEYS_VARIABLE] = secrets.token_hex(32)
    _Parent(count, bound, seconds, work).run()


class _Parent:
    def __init__(
        self, count: int, bound: socket.socket, seconds: float, work: Callable[[Worker], int]
    ) -> None:
        self._count = count
        self._bound = bound
        self._seconds = seconds
        self._work = work
        #: Process to when it was started, of those that run, and of these the ones that serve.
        self._running: dict[int, float] = {}
        self._serving: set[int] = set()
        #: When to start the workers that are missing, one each. The first is to serve before the
        #: others are started, so that what keeps it from that is said once.
        self._due: list[float] = [0.0]
        self._failed_starts = 0
        self._quick_deaths = 0
        self._is_announced = False
        self._is_hopeless = False
        self._caught: list[int] = []
        self._end = 0.0

    def run(self) -> None:
        """Watch the workers until the last of them has ended."""
        self._life = os.pipe()
        self._ready = os.pipe()
        with _waking_signals(self._caught) as woken:
            while self._running or not self._is_stopping():
                self._start_missing()
                waited = select.select([woken, self._ready[0]], [], [], self._patience())[0]
                if woken in waited:
                    os.read(woken, 4096)
                if self._ready[0] in waited:
                    self._note_ready(os.read(self._ready[0], 4096))
                self._reap()
                self._stop_where_told()
        for descriptor in (*self._life, *self._ready):
            os.close(descriptor)
        if self._is_hopeless:
            raise StartError("workers end before they serve; see above for why")
        self._exit_as_told()

    def _is_stopping(self) -> bool:
        return self._end > 0

    def _patience(self) -> float | None:
        """Seconds until the next thing to do, if no event comes before."""
        if self._is_stopping():
            return max(0.0, self._end - time.monotonic())
        return max(0.0, min(self._due) - time.monotonic()) if self._due else None

    def _start_missing(self) -> None:
        now = time.monotonic()
        while not self._is_stopping() and self._due and min(self._due) <= now:
            self._due.remove(min(self._due))
            # Not before a worker does with them what it should.
            signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
            process = os.fork()
            if process == 0:
                self._become_worker()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
            self._running[process] = now

    def _become_worker(self) -> NoReturn:
        code = 70
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # A terminal sends these to every process of its group, and the parent passes them on.
            for number in _ENDING:
                signal.signal(number, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
            for descriptor in (self._life[1], self._ready[0]):
                os.close(descriptor)
            _end_with_parent(self._life[0], self._seconds + _GRACE)
            code = self._work(Worker(self._bound, self._ready[1]))
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else 1
        except BaseException as error:  # so that nothing runs on as if it were the parent
            server_log.failure("a worker failed", error)
        finally:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError, ValueError):
                    stream.flush()
            os._exit(code)

    def _note_ready(self, data: bytes) -> None:
        self._serving |= {int(line) for line in data.split()} & self._running.keys()
        self._failed_starts = 0
        if not self._is_announced and not self._is_stopping():
            self._is_announced = True
            self._due = [0.0] * (self._count - 1)
            server_log.notice(f"serving on {address_of(self._bound)}", workers=self._count)

    def _reap(self) -> None:
        """Reap workers that have ended, and replace each unless the server is stopping."""
        for process, started in list(self._running.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if not ended:
                continue
            del self._running[process]
            has_served = process in self._serving
            self._serving.discard(process)
            if not self._is_stopping():
                code = os.waitstatus_to_exitcode(status)
                self._replace(code, time.monotonic() - started, has_served=has_served)

    def _replace(self, code: int, lived: float, *, has_served: bool) -> None:
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        self._failed_starts = 0 if has_served else self._failed_starts + 1
        # The first that fails by a word of its own would fail again: nothing has changed. While
        # others serve, what keeps a new one from it may be mended: it is tried again, ever later.
        is_no_use = self._failed_starts >= _MOST_FAILED_STARTS and not self._serving
        if is_no_use or (not self._is_announced and code == 1):
            self._is_hopeless = True
            self._stop(signal.SIGTERM)
            return
        self._quick_deaths = 0 if lived >= _STEADY else self._quick_deaths + 1
        delay = 0.0
        if self._quick_deaths > self._count:  # each may die once, as by one bad request
            delay = min(
                _LONGEST_DELAY, _FIRST_DELAY * 2 ** min(20, self._quick_deaths - self._count)
            )
        server_log.warning(f"a worker ended {how}; another is started", after_seconds=delay)
        self._due.append(time.monotonic() + delay)

    def _stop_where_told(self) -> None:
        if len(self._caught) > 1 or (self._is_stopping() and time.monotonic() >= self._end):
            if self._running and len(self._caught) <= 1:
                server_log.warning("workers that did not end in time are killed")
            self._tell(signal.SIGKILL)
            self._end = time.monotonic() + _GRACE
        elif self._caught and not self._is_stopping():
            self._stop(signal.SIGTERM)

    def _stop(self, number: int) -> None:
        self._end = time.monotonic() + self._seconds + _GRACE
        # While anybody listens, clients are let in, and nobody would answer.
        self._bound.close()
        self._tell(number)

    def _tell(self, number: int) -> None:
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def _exit_as_told(self) -> None:
        """End as the signal would have ended this process."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        signal.signal(self._caught[0], signal.SIG_DFL)
        os.kill(os.getpid(), self._caught[0])


@contextlib.contextmanager
def _waking_signals(caught: list[int]) -> Iterator[int]:
    """A descriptor that becomes readable when a child ends, or a signal comes, which is noted."""
    woken, wakes = os.pipe()
    for descriptor in (woken, wakes):
        os.set_blocking(descriptor, False)
    with contextlib.ExitStack() as restoring:
        restoring.callback(os.close, woken)
        restoring.callback(os.close, wakes)
        before = signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        restoring.callback(signal.set_wakeup_fd, before)
        for number in (*_ENDING, signal.SIGCHLD):
            # What whoever started the process has it ignore stays ignored.
            if number == signal.SIGCHLD or signal.getsignal(number) is not signal.SIG_IGN:
                note = _no_note if number == signal.SIGCHLD else lambda sent, _: caught.append(sent)
                restoring.callback(signal.signal, number, signal.signal(number, note))
        yield woken


def _no_note(*_: object) -> None:
    """Ignore SIGCHLD: `_reap` asks for ended children."""


def _end_with_parent(life: int, seconds: float) -> None:
    """Have this process end when the other end of a pipe is closed, in so many seconds at the latest."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            os.read(life, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, name="toolfold parent", daemon=True).start()
