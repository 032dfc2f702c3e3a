"""The model generator in a second process, so that a large catalog is modelled beside planning.

The process runs this very module, with shapes on standard input and templates on standard output,
so that no caller's `__main__` is ever run again.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from tempfile import TemporaryFile
from typing import Final

from toolfold.emit.models.shapes import FieldTemplate, Shape, model_shapes

#: Called with how many shapes are modelled, of how many.
Progress = Callable[[int, int], None]

# Fewer shapes are modelled sooner here than by another process.
_WORTH_A_PROCESS: Final = 100


class Modeller:
    """Models shapes, in this process or in another one; `close` ends the other one."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._process: subprocess.Popen[str] | None = None

    def model(self, shapes: Sequence[Shape]) -> Iterator[FieldTemplate]:
        """The template of every shape, in order; RuntimeError where the other process fails."""
        is_large = len(shapes) >= _WORTH_A_PROCESS
        done = 0
        for batch in self._model_elsewhere(shapes) if is_large else model_shapes(shapes):
            yield from batch
            done += len(batch)
            self._progress(done, len(shapes))

    def close(self) -> None:
        """End the other process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()

    def _model_elsewhere(self, shapes: Iterable[Shape]) -> Iterator[list[FieldTemplate]]:
        # Files, not pipes: neither side ever waits for the other, or writes to one that is gone.
        with (
            TemporaryFile("w+", encoding="utf-8") as given,
            TemporaryFile("w+", encoding="utf-8") as errors,
        ):
            json.dump([asdict(shape) for shape in shapes], given)
            given.seek(0)
            with subprocess.Popen(
                # -P: the user's folder is not a place to import from.
                [sys.executable, "-P", "-m", "toolfold.emit.models.worker"],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
            ) as process:
                self._process = process
                for line in process.stdout or ():
                    yield [FieldTemplate(**template) for template in json.loads(line)]
            if process.returncode != 0:
                errors.seek(0)
                raise RuntimeError(f"the modelling process failed:\n{errors.read()[-4000:]}")


def _main() -> None:
    """Read all shapes from standard input; write a line of templates per batch."""
    shapes = [Shape(**shape) for shape in json.load(sys.stdin)]
    for templates in model_shapes(shapes):
        sys.stdout.write(f"{json.dumps([asdict(template) for template in templates])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _main()
