"""Asking the user of the client that made a call, from the method that carries it out."""

from typing import TYPE_CHECKING

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.errors import UnansweredError
from toolfold_runtime.running.call import Call, current

if TYPE_CHECKING:
    from toolfold_runtime.running.question import Question


async def ask(message: str, schema: Json, *, name: str = "answer") -> Json | None:
    """What the client's user fills in, validated; None where they declined or dismissed it.

    `schema` is an object of texts, numbers, truths and choices. Every question of a method needs a
    `name` of its own. A modern client calls again with the answer, and the method runs again from
    its beginning: ask before you change anything. Raises UnansweredError, a ToolError, where nobody can be
    asked or nothing came of it.
    """
    return await _call().ask(_question(message, schema, name))


def ask_blocking(message: str, schema: Json, *, name: str = "answer") -> Json | None:
    """The same as `ask`, for methods that are not async: the thread waits for the answer."""
    return _call().ask_blocking(_question(message, schema, name))


def _call() -> Call:
    call = current()
    if call is None:
        raise UnansweredError("there is no call whose user could be asked", can_ask=False)
    return call


def _question(message: str, schema: Json, name: str) -> "Question":
    from toolfold_runtime.running.question import Question  # only for methods that ask

    return Question(message, schema, name)
