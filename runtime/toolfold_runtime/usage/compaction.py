"""How far a store is compacted, whatever the clock says.

A clock that is wrong for a while must not make a store forget. Nothing is dropped before the clock
has said on two days about what it should; from then on, what is taken for the present follows it by
a week a day at most. A store is compacted once a day.
"""

from typing import Final, NamedTuple

HOURS_KEPT: Final = 30 * 24
DAYS_KEPT: Final = 365
_STEP: Final = 7 * 24
_EVERY: Final = 24
#: Taken for the present until the clock can be trusted: an hour before which there is nothing.
_UNKNOWN: Final = 0
#: Hours after which nobody sends a batch again that may have been counted.
WRITERS_KEPT: Final = 24


class Compaction(NamedTuple):
    """What is folded and dropped: hours and days before these, and writers not seen since."""

    present: int
    #: The first hour that stays an hour; midnight, so that no day is in both tables.
    first_hour: int
    first_day: int
    first_writer: int


def compaction_at(now: int, last: tuple[int, int] | None) -> Compaction | None:
    """What to compact at an hour; None where it is too early.

    `last` is what the last compaction took for the present, and the hour in which it ran.
    """
    before, ran = last or (_UNKNOWN, _UNKNOWN)
    if abs(now - ran) < _EVERY:
        return None
    if before == _UNKNOWN:
        # Two clocks that agree are taken for right; one alone may be years ahead.
        present = now if 0 < now - ran <= HOURS_KEPT else _UNKNOWN
    else:
        present = min(max(now, before - _STEP), before + _STEP)
    # The earlier of both: neither a clock that is ahead nor one that was drops what is not old.
    oldest = min(now, present)
    return Compaction(
        present,
        (oldest - HOURS_KEPT) // 24 * 24,
        oldest // 24 - DAYS_KEPT,
        oldest - WRITERS_KEPT,
    )
