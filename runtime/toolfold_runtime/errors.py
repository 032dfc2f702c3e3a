"""Errors that agents and operators can act on: a text that says what to do next."""

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from heapq import nlargest
from typing import Final

from toolfold_runtime.jsontext import MOST_ANSWER_BYTES, excerpt, shortened

_LONGEST_COMPARED: Final = 100  # characters; no name is longer
_MOST_COMPARED: Final = 50


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


class ContentError(Exception):
    """Content that cannot be sent, in words for the tool's author: what is wrong, and where."""

    def __init__(self, problem: str, at: str = "") -> None:
        self.problem = problem
        self.at = at
        super().__init__(problem)


class InputRequired(BaseException):
    """Ends a call that is answered with questions: the client calls again with what its user says.

    No Exception, which methods may catch for other reasons.
    """

    def __init__(self, make_answer: Callable[[], object]) -> None:
        #: Makes the answer in the protocol's form, when the call has ended.
        self.make_answer = make_answer
        super().__init__()


class UnansweredError(ToolError):
    """A question to the user that was not answered, or that could not be asked.

    A method may catch it and do without the answer.
    """

    def __init__(self, reason: str, *, can_ask: bool = True, lacks_forms: bool = False) -> None:
        #: Why there is no answer, as a clause.
        self.reason = reason
        #: Whether the client can ask its user at all; if not, whether all it lacks is forms.
        self.can_ask = can_ask
        self.lacks_forms = lacks_forms
        super().__init__("unconfirmed", f"the user must be asked, and {reason}.")


class RequestError(Exception):
    """A request about prompts, resources or completion that is wrong, in words for its client."""


class UnknownAddressError(RequestError):
    """An address under which there is nothing to read."""


def not_one_of(kind: str, given: str, allowed: Iterable[str]) -> ToolError:
    """A word that is not one of the few that are understood."""
    text = f"no {kind} {shortened(given)!r}. One of: {', '.join(allowed)}."
    return ToolError("invalid_arguments", text)


def unknown(code: str, kind: str, name: str, names: Iterable[str]) -> ToolError:
    """An unknown name: the nearest ones, and all of them while they are few."""
    return ToolError(code, unknown_text(kind, name, names))


def unknown_text(kind: str, name: str, names: Iterable[str]) -> str:
    """The sentence about an unknown name: the nearest ones, and all of them while they are few."""
    known = list(names)
    close = nearest(name, known)
    text = f"no {kind} {excerpt(name)}."
    if close:
        text += f" Nearest: {', '.join(close)}."
    if len(known) <= 40:
        text += f" All: {', '.join(known)}."
    return text


def too_large(subject: str, way_out: str) -> ToolError:
    """An answer that is too large to be sent."""
    text = f"{subject} has more than {MOST_ANSWER_BYTES:,} bytes, the most that is sent."
    return ToolError("budget_exceeded", f"{text} {way_out}")


def nearest(name: str, names: Sequence[str]) -> list[str]:
    """Up to three names that look like an unknown one, the most similar first."""
    if len(name) > _LONGEST_COMPARED:
        return []
    if len(names) > _MOST_COMPARED:
        # Comparing is slow: among thousands, only those with the most letter pairs in common.
        pairs = {name[at : at + 2] for at in range(len(name) - 1)}
        names = nlargest(_MOST_COMPARED, names, lambda known: sum(pair in known for pair in pairs))
    return get_close_matches(name, names, n=3, cutoff=0.5)
