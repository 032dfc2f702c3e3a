"""The model generator in a second process, so that a large catalog is modelled beside planning.

The process runs this very module, with shapes on standard input and templates on standard output,
so that no caller's `__main__` is ever run again.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from tempfile import TemporaryFile
from typing import Final, TextIO, cast

from toolfold.emit.models.shapes import FieldTemplate, Shape, model_shapes

#: Called with how many shapes are modelled, of how many.
Progress = Callable[[int, int], None]

#: Fewer shapes are modelled sooner here than by another process.
WORTH_A_PROCESS: Final = 100


class Modeller:
    """Models shapes, in this process or in another one; `close` ends the other one."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        # A file, not a pipe: the process never waits for somebody to read what it complains of.
        self._errors = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed by `close`
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the other process, which loads the generator while shapes are still being planned."""
        self._running()

    def model(self, shapes: Sequence[Shape]) -> Iterator[FieldTemplate]:
        """The template of every shape, in order; RuntimeError where the other process fails."""
        is_large = len(shapes) >= WORTH_A_PROCESS
        done = 0
        for batch in self._model_elsewhere(shapes) if is_large else model_shapes(shapes):
            yield from batch
            done += len(batch)
            self._progress(done, len(shapes))

    def close(self) -> None:
        """End the other process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in filter(None, (self._process.stdin, self._process.stdout)):
                with suppress(BrokenPipeError):
                    pipe.close()
        self._errors.close()

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None:
            self._process = subprocess.Popen(
                # -P: the user's folder is not a place to import from.
                [sys.executable, "-P", "-m", "toolfold.emit.models.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
            )
        return self._process

    def _model_elsewhere(self, shapes: Iterable[Shape]) -> Iterator[list[FieldTemplate]]:
        process = self._running()
        given, modelled = cast("TextIO", process.stdin), cast("TextIO", process.stdout)
        # It reads all of them before it writes, so that neither waits for the other.
        with suppress(BrokenPipeError), given:
            given.write(json.dumps([asdict(shape) for shape in shapes]))
        for line in modelled:
            yield [FieldTemplate(**template) for template in json.loads(line)]
        if process.wait() != 0:
            self._errors.seek(0)
            raise RuntimeError(f"the modelling process failed:\n{self._errors.read()[-4000:]}")


def _main() -> None:
    """Read all shapes from standard input; write a line of templates per batch."""
    import datamodel_code_generator.parser.jsonschema  # noqa: F401 - before there is anything to do

    shapes = [Shape(**shape) for shape in json.load(sys.stdin)]
    for templates in model_shapes(shapes):
        sys.stdout.write(f"{json.dumps([asdict(template) for template in templates])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _main()
