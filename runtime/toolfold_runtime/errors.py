"""Errors that agents and operators can act on: a text that says what to do next."""

from collections.abc import Iterable
from difflib import get_close_matches


class StartError(Exception):
    """What keeps a server from starting, in words for whoever starts it."""


class ToolError(Exception):
    """A call that could not be carried out, in words for the agent that made it.

    `code` is one of the runtime's own (`contract.vocabulary`) or of the tool's own, which the
    manifest declares under `errors:`.
    """

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        self.text = text
        super().__init__(code, text)

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


def not_one_of(what: str, given: str, allowed: Iterable[str]) -> ToolError:
    """A word that is not one of the few that are understood."""
    return ToolError("invalid_arguments", f"no {what} {given!r}. One of: {', '.join(allowed)}.")


def unknown(code: str, what: str, name: str, names: Iterable[str]) -> ToolError:
    """An unknown name: the nearest ones, and all of them while they are few."""
    known = list(names)
    close = get_close_matches(name, known, n=3, cutoff=0.5)
    text = f'no {what} "{name}".'
    if close:
        text += f" Nearest: {', '.join(close)}."
    if len(known) <= 40:
        text += f" All: {', '.join(known)}."
    return ToolError(code, text)
