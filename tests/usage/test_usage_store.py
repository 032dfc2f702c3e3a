"""What both databases promise."""

from toolfold_runtime.usage.figures import figures_by_tool
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.rows import DayTotal, UsageRow, UsageTotal, bucket_of
from toolfold_runtime.usage.store import Batch

NOW = 500_000  # an hour, at 8 o'clock


def row(tool: str = "own::a", hour: int = NOW, calls: int = 1, outcome: str = "ok") -> UsageRow:
    return UsageRow(tool, outcome, hour, bucket_of(50), calls, 50.0 * calls, hour * 3600.0)


def test_rows_of_one_key_are_added_up(location: Location) -> None:
    store = open_store(location)
    store.add([row(calls=2), row("own::b")])
    store.add([row(calls=3)])

    assert store.totals(NOW) == [
        UsageTotal("own::a", "ok", bucket_of(50), 5, 250.0, NOW * 3600.0),
        UsageTotal("own::b", "ok", bucket_of(50), 1, 50.0, NOW * 3600.0),
    ]
    store.close()


def test_a_batch_that_is_sent_again_counts_once(location: Location) -> None:
    store = open_store(location)
    for batch in (Batch("w", 1), Batch("w", 1), Batch("w", 2), Batch("other", 1)):
        store.add([row()], batch)
    store.close()

    reader = open_store(location, is_reader=True)
    assert [total.calls for total in reader.totals(0)] == [3]
    reader.close()


def test_hours_become_days_after_a_month_and_days_go_after_a_year(location: Location) -> None:
    store = open_store(location)
    month, year = NOW - 31 * 24, NOW - 366 * 24
    store.add([row(), row(hour=month), row(hour=month + 1), row(hour=year)])
    store.compact(NOW - 24)
    assert sum(day.calls for day in store.days(0)) == 4
    store.compact(NOW)

    assert store.days(0) == [
        DayTotal(month // 24, "own::a", "ok", 2, 100.0),
        DayTotal(NOW // 24, "own::a", "ok", 1, 50.0),
    ]
    assert [total.calls for total in store.totals(NOW - 720)] == [1]
    assert [total.calls for total in store.totals(0)] == [3]
    store.close()


def test_a_reader_of_what_is_not_there_finds_nothing_and_makes_nothing(location: Location) -> None:
    reader = open_store(location, is_reader=True)

    assert reader.totals(0) == []
    assert reader.days(0) == []
    reader.close()


def test_figures_leave_out_what_was_not_run() -> None:
    totals = [
        UsageTotal("a", "ok", bucket_of(100), 8, 800.0, 5.0),
        UsageTotal("a", "backend_failed", bucket_of(10), 2, 20.0, 6.0),
        UsageTotal("a", "invalid_arguments", 0, 90, 9.0, 7.0),
    ]
    figures = figures_by_tool(totals)["a"]

    assert (figures.calls, figures.failures, figures.not_run) == (100, 2, 90)
    assert (figures.success_rate, figures.latency_ms, figures.last) == (0.8, 82.0, 7.0)
    assert 95 < figures.p50_ms < 105
