"""What callers of the workspace have to expect: its exceptions, and how their messages are built."""

from collections.abc import Iterable
from difflib import get_close_matches

from toolfold_runtime import ToolError

_SHOWN = 12
_LONGEST = 60


class WorkspaceError(ToolError):
    """A request that cannot be carried out as asked; the message says what to do instead."""

    def __init__(self, text: str, code: str = "refused") -> None:
        super().__init__(code, text)


class NotFoundError(WorkspaceError):
    """Nothing in the workspace has the id or the name that was asked for."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "not_found")


def quoted(text: str) -> str:
    """Text from a request, in quotes and short enough to be repeated in a message."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return '"' + short.encode("utf-8", "replace").decode() + '"'


def unknown(kind: str, given: str, known: Iterable[str], way_out: str) -> NotFoundError:
    """The error for an unknown name: it shows the nearest names, or all while they are few."""
    names = sorted(set(known))
    by_key = {name.casefold(): name for name in names}
    close = get_close_matches(given[:_LONGEST].casefold(), by_key, n=3, cutoff=0.5)
    hint = ""
    if close:
        hint = "did you mean " + " or ".join(quoted(by_key[key]) for key in close) + "? "
    elif names and len(names) <= _SHOWN:
        hint = "there are " + ", ".join(names) + "; "
    return NotFoundError(f"no {kind} is called {quoted(given)}; {hint}{way_out}")
