"""Checks the types of programs against stubs, in processes that never run any of them.

To start a checker costs as much as twenty checks, so it is kept, and given one program after
another. What it is given starts with a class that Monty cannot compile: it is checked, and whatever
it is, nothing of it can run.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from toolfold_runtime.code.sandbox import MOST_CHECKS, Sandbox
from toolfold_runtime.code.worker import Worker
from toolfold_runtime.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_monty import MontySession

    _Check = Callable[[MontySession], list["Finding"] | None]

_NEVER: Final = "class Never_(Exception): pass\n"
_NOT_COMPILED: Final = "The monty syntax parser does not yet support "
#: A comment that switches the checker off; only its last word is changed, so that columns stay.
_SWITCH: Final = re.compile(r"(#[^\S\n]*ty(?:pe)?\s*:\s*)ignore")
#: Findings that are read: programs are made to have tens of thousands.
_MOST_FINDINGS: Final = 200
_LONGEST_MESSAGE: Final = 2_000  # a type can be as long as its program
#: Checks after which a process makes room for a new one, so that it cannot grow for ever.
_MOST_CHECKED: Final = 500
_TOO_MUCH: Final = "the types of the program cannot be checked in time; write a simpler one."


class Finding(NamedTuple):
    """What the checker says of one place in a program."""

    rule: str
    message: str
    line: int
    column: int
    end_line: int
    end_column: int


class Checker:
    """Checks the programs of one server."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._places = asyncio.Semaphore(MOST_CHECKS)
        #: Workers that wait, and how much each has checked.
        self._idle: list[tuple[Worker, int]] = []

    async def findings(self, code: str, stubs: str) -> list[Finding]:
        """What is found in a program, at first; ToolError where it is made to be hard to check."""
        before = f"{_NEVER}{stubs}"
        source = before + _SWITCH.sub(r"\1Ignore", code)
        check = partial(_checked, source=source, lines_before=before.count("\n"))
        async with self._places:
            found = await self._checked_by_idle(check)
            if found is None:
                found = await self._checked_by(await self._sandbox.checker(), 0, check)
        if found is None:
            raise ToolError("budget_exceeded", _TOO_MUCH)
        return found

    async def _checked_by_idle(self, check: "_Check") -> list[Finding] | None:
        """What a process finds that has checked before; None where none does, or it is there no more."""
        if not self._idle:
            return None
        worker, number = self._idle.pop()
        return await self._checked_by(worker, number, check)

    async def _checked_by(
        self, worker: Worker, number: int, check: "_Check"
    ) -> list[Finding] | None:
        """What a process finds; None where it needs too much for that, or has ended."""
        found = None
        try:
            found = await worker.do(check)
        finally:
            if found is not None and number < _MOST_CHECKED:
                self._idle.append((worker, number + 1))
            else:
                self._sandbox.close(worker)
        return found


def _checked(session: "MontySession", source: str, lines_before: int) -> list[Finding] | None:
    import pydantic_monty as monty

    try:
        snapshot = session.feed_start(source)
        # The checker asks for the types of modules that it does not know.
        while isinstance(snapshot, monty.FunctionSnapshot) and snapshot.is_os_function:
            snapshot = snapshot.resume_not_handled()
    except monty.MontyTypingError as error:
        every = _findings(error.display(), lines_before)
        return [*islice((finding for finding in every if finding.line > 0), _MOST_FINDINGS)]
    except monty.MontySyntaxError:
        return []  # it is found again when the program is compiled, alone
    except monty.MontyRuntimeError as error:
        return [] if error.display("msg").startswith(_NOT_COMPILED) else None
    except monty.MontyCrashedError as error:
        if error.timed_out:  # another process would need as long
            raise ToolError("budget_exceeded", _TOO_MUCH) from None
        return None
    raise RuntimeError("a program ran that was only to be checked")


def _findings(text: str, lines_before: int) -> Iterator[Finding]:
    for item in json.loads(text):
        start, end = item["location"], item["end_location"]
        yield Finding(
            rule=item["code"],
            message=item["message"][:_LONGEST_MESSAGE],
            line=start["row"] - lines_before,
            column=start["column"],
            end_line=end["row"] - lines_before,
            end_column=end["column"],
        )
