"""Clocks that are wrong: nothing that is not old is dropped, and no future is taken for the present."""

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store

from tests.support.commands import toolfold
from tests.support.projects import small_manifest, write_manifest
from tests.usage.material import NOW, row

DAY: Final = 24
YEAR: Final = 365 * DAY
#: Hours of calls, none of which is older than a year, but the last.
RECENT: Final = [NOW, NOW - 29 * DAY, NOW - 31 * DAY, NOW - 357 * DAY]
OLD: Final = NOW - 367 * DAY
_AHEAD, _BACK = NOW + 12 * YEAR, NOW - 50 * YEAR

# What the clock says when a store is compacted, one time after the other.
HARMLESS: Final = {
    "ahead at the first time": [_AHEAD],
    "ahead at first, right, and ahead again": [_AHEAD, NOW, _AHEAD],
    "right, and ahead once": [NOW - DAY, NOW, _AHEAD],
    "ahead and back in turn": [NOW - DAY, NOW, _AHEAD, NOW, _AHEAD + DAY, NOW],
    "back by a day": [NOW - DAY, NOW, NOW - DAY, NOW],
    "back by decades, and right again": [NOW - DAY, NOW, _BACK, NOW, _BACK, NOW],
    "back by decades from the first": [_BACK, _BACK + DAY, NOW, NOW + DAY],
}


@pytest.mark.parametrize("name", HARMLESS)
def test_nothing_is_dropped_that_is_not_old(name: str, location: Location) -> None:
    with closing(open_store(location)) as store:
        store.add([row(hour=hour, calls=3) for hour in RECENT])
        for now in HARMLESS[name]:
            store.compact(now)

        assert sorted(day.day for day in store.days(0)) == sorted(hour // 24 for hour in RECENT)
        assert sum(day.calls for day in store.days(0)) == 3 * len(RECENT)


def test_what_is_old_is_dropped_soon_after_the_clock_was_wrong(location: Location) -> None:
    with closing(open_store(location)) as store:
        for now in (NOW - 3 * DAY, NOW - 2 * DAY, _BACK, _AHEAD, NOW - DAY):
            store.compact(now)
        store.add([row(hour=hour) for hour in (*RECENT, OLD)])
        store.compact(NOW)

        assert OLD // 24 not in {day.day for day in store.days(0)}
        assert sum(day.calls for day in store.days(0)) == len(RECENT)


def test_a_store_that_is_used_seldom_is_compacted_too(location: Location) -> None:
    with closing(open_store(location)) as store:
        store.add([row(hour=hour) for hour in (*RECENT, OLD)])
        store.compact(NOW - 20 * DAY)
        store.compact(NOW)

        assert sum(day.calls for day in store.days(0)) == len(RECENT)


def test_calls_of_a_clock_that_is_ahead_are_not_recent(location: Location) -> None:
    with closing(open_store(location)) as store:
        # A replica whose clock is a little ahead is believed.
        store.add([row(), row(hour=NOW + 20), row(hour=NOW + 60, calls=100)])
        store.add([row(hour=NOW + 9 * DAY, calls=1000)])

        assert [total.calls for total in store.totals(NOW - 30 * DAY, NOW)] == [2]
        assert sum(day.calls for day in store.days(NOW // 24 - 30, NOW // 24)) == 2
        assert sum(total.calls for total in store.totals(0)) == 1102


def test_usage_and_tiers_leave_out_calls_of_a_clock_that_is_ahead(tmp_path: Path) -> None:
    write_manifest(tmp_path, small_manifest("first"))
    hour = int(time.time()) // 3600
    with closing(open_store(Location("sqlite", str(tmp_path / "u.db")))) as store:
        store.add([row("demo::first", hour, 30), row("demo::first", hour + YEAR, 9000)])
    shown = {
        by: json.loads(toolfold(tmp_path, *command, "--usage", "u.db", "--format", "json").out)
        for by, command in {
            "tool": ("usage",),
            "day": ("usage", "--by", "day"),
            "tiers": ("tiers",),
        }.items()
    }

    assert [line["calls"] for line in shown["tool"]["rows"]] == [30]
    assert [line["calls"] for line in shown["day"]["rows"]] == [30]
    assert [line["calls"] for line in shown["tiers"]["tools"]] == [30]
