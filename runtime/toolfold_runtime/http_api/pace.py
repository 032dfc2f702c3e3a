"""When the next request may be sent, and when one that failed may be tried again."""

import random
from asyncio import get_running_loop, sleep
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_FIRST_WAIT: Final = 0.25
_LONGEST_WAIT: Final = 8.0


class Pace:
    """At most so many requests a second, of which a second's worth may come at once."""

    def __init__(self, rate: float | None) -> None:
        self._interval = 0.0 if rate is None else 1.0 / rate
        self._burst = 0.0 if rate is None else max(1.0, rate) * self._interval
        self._next = 0.0

    async def turn(self) -> None:
        """Wait until a request may be sent."""
        if not self._interval:
            return
        now = get_running_loop().time()
        self._next = max(self._next, now - self._burst + self._interval) + self._interval
        if (wait := self._next - self._interval - now) > 0:
            await sleep(wait)


def wait_before(attempt: int, headers: Mapping[str, str], now: datetime | None = None) -> float:
    """Seconds before a request is tried again: what `Retry-After` says, else more each time."""
    said = _retry_after(headers.get("retry-after", ""), now or datetime.now(UTC))
    if said is not None:
        return said
    longest = min(_FIRST_WAIT * 2.0**attempt, _LONGEST_WAIT)
    return float(random.uniform(longest / 2, longest))  # noqa: S311 - so that not all come back at once


def _retry_after(text: str, now: datetime) -> float | None:
    """The seconds of a number or of a date; None for anything else."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())
