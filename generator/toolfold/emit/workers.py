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

from toolfold.emit.modelling import Job, Piece, model_batch
from toolfold.plan.modelled import Modelled

#: Told how many tools are done, of how many.
Progress = Callable[[int, int], None]
Pieces = dict[str, Piece]

_BATCH: Final = 100  # bounds memory; larger calls of the generator are slower
_WORTH_A_PROCESS: Final = 150


def model_all(jobs: Sequence[Job], progress: Progress) -> Iterator[Pieces]:
    """The pieces of all jobs, batch by batch as they are done."""
    done = 0
    for pieces in _batches(jobs):
        done += len(pieces)
        progress(done, len(jobs))
        yield pieces


def _batches(jobs: Sequence[Job]) -> Iterator[Pieces]:
    if len(jobs) < _WORTH_A_PROCESS or (os.cpu_count() or 1) < 2:
        yield from _here(jobs)
        return
    # Dealt out like cards: neighbours are alike, so both get their share of the large ones.
    with ThreadPoolExecutor(1) as thread:
        theirs: Future[Pieces] = thread.submit(_elsewhere, jobs[1::2])
        yield from _here(jobs[::2])
        yield theirs.result()


def _here(jobs: Sequence[Job]) -> Iterator[Pieces]:
    for start in range(0, len(jobs), _BATCH):
        yield dict(model_batch(jobs[start : start + _BATCH]))


def _elsewhere(jobs: Sequence[Job]) -> Pieces:
    """The same by a second process; RuntimeError with its last words if it fails."""
    given = "\n".join(json.dumps([name, asdict(models)]) for name, models in jobs)
    command = [sys.executable, "-m", "toolfold.emit.workers"]
    done = subprocess.run(  # noqa: S603 - our own module
        command, input=given, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"the second modelling process failed:\n{done.stderr[-4000:]}")
    pieces: Pieces = json.loads(done.stdout)
    return pieces


def _job(line: str) -> Job:
    name, fields = json.loads(line)
    return name, Modelled(**fields)


def _work() -> None:
    """The second process: every job from standard input, all pieces to standard output."""
    jobs = [_job(line) for line in sys.stdin]
    output: Any = sys.stdout
    json.dump({name: piece for pieces in _here(jobs) for name, piece in pieces.items()}, output)


if __name__ == "__main__":
    _work()
