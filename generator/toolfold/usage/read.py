"""Reading a usage store for a manifest, once, in the words of the command line."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from toolfold_runtime.usage.figures import ToolFigures, figures_by_tool
from toolfold_runtime.usage.location import location_of
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.store import UsageStore, UsageStoreError

from toolfold.errors import UsageError
from toolfold.manifest.schema import Manifest, UsageFile

_DAY: Final = 24  # hours
_MONTH: Final = 30 * _DAY
_WEEK: Final = 7 * _DAY


class Window(NamedTuple):
    """The figures that scores are made of, by the id of the tool."""

    #: Where they were read, in words without secrets; "off" where nothing is recorded.
    place: str
    month: dict[str, ToolFigures]
    week: dict[str, ToolFigures]


def read_window(manifest: Manifest, folder: Path, option: str | None) -> Window:
    """The last 30 days and the last 7; UsageError where the store cannot be read."""
    hour = hour_now()
    with opened(manifest, folder, option) as (place, store):
        if store is None:
            return Window(place, {}, {})
        month = figures_by_tool(store.totals(hour - _MONTH, hour))
        week = figures_by_tool(store.totals(hour - _WEEK, hour))
    return Window(place, month, week)


def hour_now() -> int:
    """The hour of now, since the epoch."""
    return int(time.time() // 3600)


@contextmanager
def opened(
    manifest: Manifest, folder: Path, option: str | None
) -> Iterator[tuple[str, UsageStore | None]]:
    """Where usage is, and the store, opened for reading; None where usage is off.

    Raises UsageError where it cannot be opened, or fails meanwhile.
    """
    usage = manifest.usage
    declared = usage.file if isinstance(usage, UsageFile) else usage
    store = None
    try:
        location = location_of(option, declared, folder.absolute())
        if location is None:
            yield "off", None
            return
        store = open_store(location, is_reader=True)
        yield location.shown, store
    except UsageStoreError as error:
        raise UsageError(str(error)) from None
    finally:
        if store is not None:
            store.close()
