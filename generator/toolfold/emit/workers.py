"""Modelling on two cores: half of a large catalog is done here, half by a second process.

The helper is our own module run by this interpreter, with jobs on standard input and pieces on
standard output, so that no caller's `__main__` is ever run again.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Final

from toolfold.emit.modelling import Job, Piece, import_generator, model_batch
from toolfold.plan.modelled import Modelled

#: Told how many tools are done, of how many.
Progress = Callable[[int, int], None]
Pieces = dict[str, Piece]

_BATCH: Final = 100  # bounds memory; larger calls of the generator are slower
_WORTH_A_PROCESS: Final = 150


def model_all(jobs: Sequence[Job], helper: "Helper", progress: Progress) -> Iterator[Pieces]:
    """The pieces of all jobs, batch by batch as they are done."""
    done = 0
    for pieces in _batches(jobs, helper):
        done += len(pieces)
        progress(done, len(jobs))
        yield pieces


class Helper:
    """A second process that models; it can be started before there is anything to model.

    Importing the model generator takes as long as reading a large manifest, so both are done at
    the same time where it is likely to be needed.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the process, once."""
        if self._process is None:
            # -P: the user's folder is not a place to import from.
            command = [sys.executable, "-P", "-m", "toolfold.emit.workers"]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8"
            )

    def model(self, jobs: Sequence[Job]) -> Pieces:
        """Its pieces of the jobs; RuntimeError with its last words if it fails."""
        self.start()
        process = self._process
        given = "\n".join(json.dumps([name, asdict(models)]) for name, models in jobs)
        output, errors = process.communicate(given) if process else ("", "")
        if process is None or process.returncode != 0:
            raise RuntimeError(f"the second modelling process failed:\n{errors[-4000:]}")
        pieces: Pieces = json.loads(output)
        return pieces

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.communicate()
        self._process = None


def _batches(jobs: Sequence[Job], helper: Helper) -> Iterator[Pieces]:
    if len(jobs) < _WORTH_A_PROCESS or (os.cpu_count() or 1) < 2:
        yield from _here(jobs)
        return
    # Dealt out like cards: neighbours are alike, so both get their share of the large ones.
    with ThreadPoolExecutor(1) as thread:
        theirs: Future[Pieces] = thread.submit(helper.model, jobs[1::2])
        yield from _here(jobs[::2])
        yield theirs.result()


def _here(jobs: Sequence[Job]) -> Iterator[Pieces]:
    for batch in _without_twins(jobs):
        yield dict(model_batch(batch))


def _without_twins(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Batches in which no two tools have a class of the same name."""
    batch: list[Job] = []
    names: set[str] = set()
    for job in jobs:
        if len(batch) >= _BATCH or not names.isdisjoint(job[1].classes):
            yield batch
            batch, names = [], set()
        batch.append(job)
        names.update(job[1].classes)
    if batch:
        yield batch


def _job(line: str) -> Job:
    name, fields = json.loads(line)
    return name, Modelled(**fields)


def _work() -> None:
    """The second process: every job from standard input, all pieces to standard output."""
    import_generator()  # while the other side still plans
    jobs = [_job(line) for line in sys.stdin]
    output: Any = sys.stdout
    json.dump({name: piece for pieces in _here(jobs) for name, piece in pieces.items()}, output)


if __name__ == "__main__":
    _work()
