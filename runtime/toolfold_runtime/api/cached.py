"""Answers that are ready to be sent: their bytes, their tag, and for how long they hold."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pydantic import BaseModel

from toolfold_runtime.bounded import BoundedCache, LookupCounts

#: Seconds for which each kind of answer is good, here and in caches of others.
LIFETIMES: Final = {"hot": 3600, "categories": 21_600, "category": 3600, "tool": 86_400}
#: The most answers of each kind, and their bytes: 32 MB of all. Of pages there are as many as a client
#: can think of sizes, and they make no room at the cost of others.
_BOUNDS: Final = {
    "hot": (1, 1_000_000),
    "categories": (256, 3_000_000),
    "category": (2048, 12_000_000),
    "tool": (8192, 16_000_000),
}


class ReadyAnswer(NamedTuple):
    """The body of an answer and its entity tag."""

    body: bytes
    etag: bytes


class AnswerCache:
    """Answers about the catalog by what was asked, each process's own."""

    def __init__(self) -> None:
        self.counts = {kind: LookupCounts() for kind in LIFETIMES}
        self._answers: dict[str, BoundedCache[ReadyAnswer]] = {
            kind: BoundedCache(*bounds) for kind, bounds in _BOUNDS.items()
        }

    def get(self, kind: str, key: tuple[object, ...], make: Callable[[], BaseModel]) -> ReadyAnswer:
        """The answer, made where it is not there."""
        ready = self._answers[kind].get(key)
        if ready is not None:
            self.counts[kind].hits += 1
            return ready
        self.counts[kind].misses += 1
        ready = ready_answer(make())
        self._answers[kind].put(key, ready, len(ready.body), LIFETIMES[kind])
        return ready


def ready_answer(model: BaseModel) -> ReadyAnswer:
    """An answer as it is sent."""
    return tagged(model.model_dump_json(exclude_defaults=True).encode())


def tagged(body: bytes) -> ReadyAnswer:
    """A body with a tag that is another one for every other body."""
    return ReadyAnswer(body, b'"%s"' % hashlib.sha256(body).hexdigest()[:32].encode())


def is_known(etag: bytes, if_none_match: Sequence[bytes]) -> bool:
    """Whether a client says that it has the answer with this tag."""
    for value in if_none_match:
        tags = [part.strip() for part in value.split(b",")]
        if b"*" in tags or etag in (tag.removeprefix(b"W/") for tag in tags):
            return True
    return False
