"""Live figures: read seldom, once for all who ask."""

import asyncio
import time
from pathlib import Path

import pytest
from toolfold_runtime.api.live import LiveUsage
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.rows import UsageRow
from toolfold_runtime.usage.sqlite import open_sqlite
from toolfold_runtime.usage.store import UsageStoreError


def test_a_store_that_fails_is_read_and_logged_once_for_all_who_ask(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = tmp_path / "usage.db"
    broken.write_bytes(b"no database" * 1000)

    async def asked() -> list[object]:
        usage = LiveUsage(Location("sqlite", str(broken)), frozenset, {})
        return list(
            await asyncio.gather(*(usage.report() for _ in range(50)), return_exceptions=True)
        )

    answers = asyncio.run(asked())

    assert {type(answer) for answer in answers} == {UsageStoreError}
    assert [record.message for record in caplog.records] == ["usage cannot be read"]


def test_nothing_is_said_of_success_and_latency_where_no_call_was_carried_out(
    tmp_path: Path,
) -> None:
    store = open_sqlite(tmp_path / "usage.db", makes_folder=False)
    store.add([UsageRow("demo::first", "asked", int(time.time()) // 3600, 0, 3, 0.0, 0.0)])
    store.close()
    usage = LiveUsage(
        Location("sqlite", str(tmp_path / "usage.db")), lambda: frozenset({"demo::first"}), {}
    )

    (tool_usage,) = asyncio.run(usage.report()).tools

    assert tool_usage.model_dump(exclude_defaults=True) == {
        "tool": "demo::first",
        "calls": 3,
        "failures": 0,
        "not_run": 3,
    }
