"""The one exception that a caller of the workspace has to know, and how its messages are built."""

from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN = 12
_LONGEST = 60


class WorkspaceError(Exception):
    """A request that cannot be carried out as asked; the message says what to do instead."""


def quoted(text: str) -> str:
    """Text from a request, in quotes and short enough to be repeated in a message."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return '"' + short.encode("utf-8", "replace").decode() + '"'


def unknown(kind: str, given: str, known: Iterable[str], way_out: str) -> WorkspaceError:
    """Build the error for an unknown name: it tells the nearest names, or all while few."""
    names = sorted(set(known))
    by_key = {name.casefold(): name for name in names}
    close = get_close_matches(given[:_LONGEST].casefold(), by_key, n=3, cutoff=0.5)
    hint = ""
    if close:
        hint = "did you mean " + " or ".join(quoted(by_key[key]) for key in close) + "? "
    elif names and len(names) <= _SHOWN:
        hint = "there are " + ", ".join(names) + "; "
    return WorkspaceError(f"no {kind} is called {quoted(given)}; {hint}{way_out}")
