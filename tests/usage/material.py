"""Rows, stores and programs that tests of usage have in common."""

import re
import sys
from contextlib import closing
from typing import Final

import pytest
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.recorder import Recorder
from toolfold_runtime.usage.rows import UsageRow, bucket_of

from tests.support.projects import ROOT
from tests.support.servers import Running

NOW: Final = 500_000  # an hour, at 8 o'clock

#: The beginning of a program that records where TOOLFOLD_USAGE says.
RECORDING: Final = """
import re
import sys
from pathlib import Path
from toolfold_runtime import server_log
from toolfold_runtime.usage.location import location_of
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.recorder import Recorder
from toolfold_runtime.usage.rows import UsageRow
from toolfold_runtime.usage.store import Batch

server_log.set_up("json", "warning")
place = location_of(None, None, Path())
"""


def row(tool: str = "own::a", hour: int = NOW, calls: int = 1, outcome: str = "ok") -> UsageRow:
    """A row of calls that took 50 ms."""
    return UsageRow(tool, outcome, hour, bucket_of(50), calls, 50.0 * calls, hour * 3600.0)


def counted(location: Location) -> int:
    """All calls of a store."""
    with closing(open_store(location, is_reader=True)) as store:
        return sum(total.calls for total in store.totals(0))


def record(recorder: Recorder, calls: int, tool: str = "own::a") -> None:
    """Record calls."""
    for _ in range(calls):
        recorder.add(tool, "ok", 0.01)


def recording(location: Location, code: str, *arguments: str) -> Running:
    """A process that runs code after RECORDING, at a place."""
    command = (sys.executable, "-c", RECORDING + code, *arguments)
    return Running(command, ROOT, TOOLFOLD_USAGE=location.target)


def warnings(log: pytest.LogCaptureFixture) -> list[str]:
    """What the server's log says of usage, and why; methods of other tests may still be logged."""
    words = re.compile("usage|recorded")
    about_usage = [record for record in log.records if words.search(record.getMessage())]
    facts = [getattr(record, "facts", {}) for record in about_usage]
    return [
        f"{record.getMessage()}: {details['why']}" if "why" in details else record.getMessage()
        for record, details in zip(about_usage, facts, strict=True)
    ]
