"""Bars by day, as a picture in the page itself."""

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

_STEP, _HEIGHT = 10, 100
#: What the smallest value is high, so that one failure among thousands of calls is seen; each larger
#: one of a day is so much higher at least, so that it is seen behind it.
_LEAST: Final = 1.5


class Bar(NamedTuple):
    """A day: what is said of it, and its values with the class of each, the largest first."""

    day: str
    label: str
    values: tuple[tuple[str, float], ...]


def chart(what: str, bars: Sequence[Bar], shown_most: str) -> str:
    """The picture, as HTML; `shown_most` is the largest value as it is written."""
    most = max((value for bar in bars for _, value in bar.values), default=0) or 1
    groups = "".join(_group(place, bar, most) for place, bar in enumerate(bars))
    first, last = (escape(bars[place].day) for place in (0, -1))
    return (
        f'<figure><svg viewBox="0 0 {_STEP * len(bars)} {_HEIGHT}" preserveAspectRatio="none"'
        f' role="img" aria-label="{escape(what)}">{groups}</svg>'
        f"<figcaption><span>{first}</span><span>most: {escape(shown_most)}</span>"
        f"<span>{last}</span></figcaption></figure>"
    )


def _group(place: int, bar: Bar, most: float) -> str:
    shapes = []
    for behind, (kind, value) in enumerate(reversed(bar.values), 1):
        height = max(_LEAST * behind, value / most * (_HEIGHT - 2)) if value else 0
        if height:
            at = f'x="{place * _STEP + 1}" y="{_HEIGHT - height:.1f}"'
            shapes.append(f'<rect class="{kind}" {at} width="{_STEP - 2}" height="{height:.1f}"/>')
    return f"<g><title>{escape(bar.label)}</title>{''.join(reversed(shapes))}</g>"
