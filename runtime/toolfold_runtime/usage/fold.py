"""Calls that wait to be written, added up by what they have in common."""

import math
from itertools import islice
from typing import Final, NamedTuple

from toolfold_runtime.usage.rows import UsageRow, bucket_of

#: Rows that wait at most; calls that belong to none of them are lost then.
MOST_ROWS: Final = 50_000
#: Rows in one transaction, so that none takes long.
MOST_IN_BATCH: Final = 5_000
_LONGEST_NAME: Final = 300
_LONGEST_CALL: Final = 1e9  # milliseconds


class Event(NamedTuple):
    """A call that has ended."""

    tool: str
    outcome: str
    #: When it ended, in seconds since the epoch, and how long it took.
    at: float
    seconds: float


class Folded:
    """Rows in the making."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str, str, int], tuple[int, float, float]] = {}
        #: How many calls wait.
        self.calls = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, event: Event) -> bool:
        """Add a call to its row; False where it has none, and there are too many already."""
        tool, outcome, at, seconds = event
        millis = seconds * 1000
        # A clock that says nonsense must not make a row that no database takes.
        millis = min(max(millis, 0.0), _LONGEST_CALL) if math.isfinite(millis) else 0.0
        at = min(max(at, 0.0), 1e12)
        key = (int(at // 3600), tool, outcome, bucket_of(millis))
        before = self._rows.get(key)
        if before is not None:
            self._rows[key] = before[0] + 1, before[1] + millis, max(before[2], at)
        elif len(self._rows) < MOST_ROWS and _is_storable(tool) and _is_storable(outcome):
            self._rows[key] = 1, millis, at
        else:
            return False
        self.calls += 1
        return True

    def take(self) -> list[UsageRow]:
        """The rows of the next batch, sorted by key; they wait no longer."""
        keys = sorted(islice(self._rows, MOST_IN_BATCH))
        rows = [
            UsageRow(tool, outcome, hour, bucket, *self._rows.pop((hour, tool, outcome, bucket)))
            for hour, tool, outcome, bucket in keys
        ]
        self.calls -= sum(row.calls for row in rows)
        return rows


def _is_storable(name: str) -> bool:
    """Whether every database takes a name."""
    return len(name) <= _LONGEST_NAME and name.isprintable()
