"""Pictures as inline SVG: drawn when generating, in the page's own colours, without a script.

Each has a title and a description for screen readers; every figure is also in a table.
"""

from collections.abc import Sequence
from math import log1p
from typing import Final

from toolfold.plan.text.escape import html_text

_ROW: Final = 40
_CHARACTER: Final = 7.8  # width of a monospaced character at 13 px
_BOX: Final = 34
_LANE: Final = 74
_ARROW: Final = 34
_MAX_LABEL: Final = 44
#: From so many times the median the largest value would leave nothing of the others to see.
_UNEVEN: Final = 8


def bars(
    name: str, title: str, rows: Sequence[tuple[str, int]], unit: str, *, is_linear: bool = False
) -> str:
    """A bar for each label and value; `name` tells the picture from others on the page.

    Where one value would hide the others the scale is logarithmic, unless `is_linear`: the
    difference is what the picture is for.
    """
    largest = max([value for _, value in rows] + [1])
    middle = sorted(value for _, value in rows)[len(rows) // 2] if len(rows) > 2 else largest
    is_uneven = not is_linear and largest > _UNEVEN * middle
    title = f"{title}, on a logarithmic scale" if is_uneven else title
    parts = []
    for number, (label, value) in enumerate(rows):
        y = number * _ROW
        share = log1p(value) / log1p(largest) if is_uneven else value / largest
        width = max(0.5, round(100 * share, 1))
        parts.append(
            f'<text class="tf-label" x="0" y="{y + 14}">{html_text(_truncated(label))}</text>'
            f'<text class="tf-value" x="100%" y="{y + 14}" text-anchor="end">{value:,}</text>'
            f'<rect class="tf-rail" x="0" y="{y + 20}" width="100%" height="10" rx="5"/>'
            f'<rect class="tf-bar" x="0" y="{y + 20}" width="{width:g}%" height="10" rx="5"/>'
        )
    description = "; ".join(f"{label}: {value:,} {unit}" for label, value in rows)
    # As wide as the column, with text that is as large as elsewhere.
    size = f'width="100%" height="{len(rows) * _ROW}"'
    return _figure(name, "tf-bars", title, description, size, parts)


def chains(name: str, title: str, rows: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> str:
    """A lane for each named chain: its steps in boxes that are links, with arrows between them."""
    parts, widest = [], 0.0
    for number, (label, steps) in enumerate(rows):
        y = number * _LANE
        parts.append(
            f'<text class="tf-lane" x="2" y="{y + 16}">{html_text(_truncated(label, 70))}</text>'
        )
        x = 2.0
        for index, (step, page) in enumerate(steps):
            label_text = _truncated(step)
            width = len(label_text) * _CHARACTER + 24
            if index:
                parts.append(_arrow(x, y + 26 + _BOX / 2))
                x += _ARROW
            parts.append(
                f'<a href="{html_text(page)}">'
                f'<rect class="tf-box" x="{x:g}" y="{y + 26}" width="{width:g}" height="{_BOX}" rx="6"/>'
                f'<text class="tf-step" x="{x + 12:g}" y="{y + 26 + 22}">{html_text(label_text)}</text></a>'
            )
            x += round(width, 1)
        widest = max(widest, x, len(_truncated(label, 70)) * 8)
    description = "; ".join(
        f"{label}: {', then '.join(step for step, _ in steps)}" for label, steps in rows
    )
    width, height = round(widest) + 4, len(rows) * _LANE
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return _figure(name, "tf-chains", title, description, size, parts)


def _arrow(x: float, y: float) -> str:
    return f'<path class="tf-arrow" d="M{x + 5:g} {y:g}H{x + _ARROW - 6:g}m-6 -5l6 5l-6 5"/>'


def _figure(
    name: str, kind: str, title: str, description: str, size: str, parts: Sequence[str]
) -> str:
    # What holds links is no picture to those who hear it.
    role = "group" if kind == "tf-chains" else "img"
    # One line per part and none empty: an empty line would end the block in Markdown. What may
    # have to be scrolled sideways must be reachable without a mouse, hence the tabindex.
    lines = [
        f'<figure class="tf-figure {kind}" tabindex="0" role="group" aria-labelledby="{name}-t">',
        f"<figcaption>{html_text(title)}</figcaption>",
        f'<svg role="{role}" aria-labelledby="{name}-t {name}-d" {size}>',
        f'<title id="{name}-t">{html_text(title)}</title>'
        f'<desc id="{name}-d">{html_text(description)}</desc>',
        *parts,
        "</svg></figure>",
    ]
    return "\n".join(lines)


def _truncated(text: str, limit: int = _MAX_LABEL) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
