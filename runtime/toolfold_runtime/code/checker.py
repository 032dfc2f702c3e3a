"""Checks the types of programs against stubs, in processes that never run any of them.

To start a checker costs as much as twenty checks, so it is kept, and given one program after
another. What it is given starts with a class that Monty cannot compile: it is checked, and whatever
it is, nothing of it can run.
"""

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple

from toolfold_runtime.code.sandbox import MOST_CHECKS, Sandbox
from toolfold_runtime.code.worker import Worker
from toolfold_runtime.errors import ToolError

if TYPE_CHECKING:
    from pydantic_monty import MontySession


_NEVER: Final = "class Never_(Exception): pass\n"
_NOT_COMPILED: Final = "The monty syntax parser does not yet support "
#: Checks after which a process makes room for a new one, so that it cannot grow for ever.
_MOST_CHECKED: Final = 500
_TOO_MUCH: Final = "the types of the program cannot be checked in time; write a simpler one."


class Findings(NamedTuple):
    """What the checker says of a program: JSON, whose lines count from a number of other lines."""

    text: str
    lines_before: int


class Checker:
    """Checks the programs of one server."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._places = asyncio.Semaphore(MOST_CHECKS)
        #: Workers that wait, and how much each has checked.
        self._idle: list[tuple[Worker, int]] = []

    async def findings(self, code: str, stubs: str) -> Findings:
        """What is found in a program; ToolError where it is made to be hard to check."""
        before = f"{_NEVER}{stubs}"
        async with self._places:
            text = await self._checked_by_idle(before + code)
            if text is None:
                worker = await self._sandbox.checker()
                text = await self._checked_by(worker, 0, before + code)
        if text is None:
            raise ToolError("budget_exceeded", _TOO_MUCH)
        return Findings(text, before.count("\n"))

    async def _checked_by_idle(self, source: str) -> str | None:
        """What a process says that has checked before; None where none does, or it is there no more."""
        if not self._idle:
            return None
        worker, number = self._idle.pop()
        return await self._checked_by(worker, number, source)

    async def _checked_by(self, worker: Worker, number: int, source: str) -> str | None:
        """What a process says; None where it needs too much for that, or has ended."""
        text = None
        try:
            text = await worker.do(lambda session: _checked(session, source))
        finally:
            if text is not None and number < _MOST_CHECKED:
                self._idle.append((worker, number + 1))
            else:
                self._sandbox.close(worker)
        return text


def _checked(session: "MontySession", source: str) -> str | None:
    import pydantic_monty as monty

    try:
        snapshot = session.feed_start(source)
        # The checker asks for the types of modules that it does not know.
        while isinstance(snapshot, monty.FunctionSnapshot) and snapshot.is_os_function:
            snapshot = snapshot.resume_not_handled()
    except monty.MontyTypingError as error:
        return error.display()
    except monty.MontySyntaxError:
        return "[]"  # it is found again when the program is compiled, alone
    except monty.MontyRuntimeError as error:
        return "[]" if error.display("msg").startswith(_NOT_COMPILED) else None
    except monty.MontyCrashedError:
        return None
    raise RuntimeError("a program ran that was only to be checked")
