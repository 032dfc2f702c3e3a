"""Modelling beside planning: a second process imports the model generator and models shapes.

It is our own module run by this interpreter, with shapes on standard input and forms on standard
output, so that no caller's `__main__` is ever run again. It is started while the manifest is
still read, and gets its shapes while the rest of the plan is made.
"""

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from queue import SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, Final

from toolfold.emit.models.shapes import Form, Shape, import_generator, model_shapes

#: Told how many shapes of properties are modelled, of how many.
Progress = Callable[[int, int], None]

#: Fewer shapes are modelled sooner here than by another process.
WORTH_A_PROCESS: Final = 100


class Worker:
    """The process that models; it can be started before there is anything to model."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._thread: Thread | None = None
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        # A file, not a pipe: nobody reads it unless the process fails.
        self._errors: IO[str] = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - see close

    def start(self) -> None:
        """Start the process, once."""
        if self._process is None:
            self._process = subprocess.Popen(
                # -P: the user's folder is not a place to import from.
                [sys.executable, "-P", "-m", "toolfold.emit.models.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
            )

    def begin(self, shapes: Sequence[Shape]) -> None:
        """Send the shapes and take in what comes back, beside whatever the caller does next."""
        self.start()
        self._thread = Thread(target=self._exchange, args=(self._process, shapes), daemon=True)
        self._thread.start()

    def forms(self) -> Iterator[list[Form]]:
        """Batch by batch as they are done; RuntimeError with the last words of a failure."""
        while (line := self._lines.get()) is not None:
            yield [Form(**form) for form in json.loads(line)]
        if self._process is None or self._process.wait() != 0:
            self._errors.seek(0)
            raise RuntimeError(f"the modelling process failed:\n{self._errors.read()[-4000:]}")

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            if self._thread is not None:
                self._thread.join()  # it has the pipes, and they are broken now
            with self._process:
                self._process = None
        self._errors.close()

    def _exchange(self, process: "subprocess.Popen[str]", shapes: Sequence[Shape]) -> None:
        """Both pipes are served here, so that neither side ever waits for a full one."""
        with contextlib.suppress(OSError, ValueError), process:
            if process.stdin is not None and process.stdout is not None:
                json.dump([asdict(shape) for shape in shapes], process.stdin)
                process.stdin.close()
                for line in process.stdout:
                    self._lines.put(line)
        self._lines.put(None)


def _work() -> None:
    """The process: all shapes from standard input, a line of forms per batch to standard output."""
    import_generator()  # while the other side still plans
    shapes = [Shape(**shape) for shape in json.load(sys.stdin)]
    for forms in model_shapes(shapes):
        sys.stdout.write(f"{json.dumps([asdict(form) for form in forms])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _work()
