"""The overlay that `toolfold tiers update` writes: tiers by usage, and what was measured."""

from collections.abc import Iterable
from math import floor, log10
from pathlib import Path
from typing import Any, Final

from toolfold.disk import read_file, refuse_links, replace_file
from toolfold.errors import OutputError
from toolfold.importing.write import manifest_text
from toolfold.manifest.include import MAX_BYTES
from toolfold.usage.score import Score, shown_score

#: What the first line of the file begins with, by which a file is known to be ours.
_MARK: Final = "Written by `toolfold tiers update`"
_FIRST_LINE: Final = f"{_MARK} from usage; it is replaced whole, so put your own changes elsewhere."


def overlay_text(order: Iterable[str], scored: Iterable[Score]) -> str:
    """The overlay of the tools that are ranked, in the order of the manifest.

    Figures are rounded, so that usage which hardly changed changes nothing.
    """
    by_name = {tool_score.name: tool_score for tool_score in scored}
    tools = {name: _entry(by_name[name]) for name in order if name in by_name}
    return manifest_text({"tools": tools}, _FIRST_LINE)


def _entry(tool_score: Score) -> dict[str, Any]:
    figures = tool_score.figures
    # Rounded up, one failure in a thousand would be none.
    rate = round(figures.success_rate, 2)
    return {
        "tier": tool_score.tier,
        "measured": {
            "score": shown_score(tool_score.score),
            "calls": _two_digits(tool_score.calls),
            "success_rate": min(rate, 0.99) if figures.failures else rate,
            "latency_ms": _two_digits(figures.latency_ms),
            "p95_ms": _two_digits(figures.p95_ms),
        },
    }


def _two_digits(value: float) -> int:
    """A whole number, of which all but the first two digits are zeros."""
    digits = floor(log10(value)) + 1 if value >= 1 else 1
    return int(round(value, min(0, 2 - digits)))


def write_overlay(path: Path, text: str, base: Path) -> bool:
    """Make the file hold the overlay; False where it did already.

    Raises OutputError where a file is in the way that `tiers update` did not write, or a link.
    """
    refuse_links(path, base)
    data = text.encode()
    try:
        before = read_file(path, MAX_BYTES)
    except FileNotFoundError:
        before = None
    except OSError as error:
        raise OutputError(f"{path}: in the way: {error.strerror}; name another with -o") from None
    if before is not None and not is_ours(before):
        way_out = "name another with -o"
        raise OutputError(f"{path}: `toolfold tiers update` did not write this file; {way_out}")
    if before == data:
        return False
    replace_file(path, data, base)
    return True


def is_ours(data: bytes) -> bool:
    """Whether a file was written by `toolfold tiers update`."""
    return data.startswith(f"# {_MARK}".encode())
