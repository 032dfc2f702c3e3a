"""Live figures: read seldom, once for all who ask."""

import asyncio
from pathlib import Path

import pytest
from toolfold_runtime.api.live import LiveUsage
from toolfold_runtime.usage.location import Location
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
