"""One program from its text to its end: checked, then turn by turn with the calls in between."""

import base64
import builtins
import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from toolfold_runtime.code.checker import Checker
from toolfold_runtime.code.functions import Functions, Offer
from toolfold_runtime.code.host import Host, error_text
from toolfold_runtime.code.mistakes import mistakes, shown
from toolfold_runtime.code.sandbox import Sandbox
from toolfold_runtime.code.session import Called, Ended, Raised, Session, Turn
from toolfold_runtime.code.worker import WorkerEndedError
from toolfold_runtime.contract.server import ProgramLimits
from toolfold_runtime.errors import InputRequired, ToolError
from toolfold_runtime.running.call import Paused
from toolfold_runtime.running.threads import Threads

#: Bytes of a program that waits for its user, which travel to the client and back.
_LARGEST_STATE: Final = 150_000
_LONGEST_SOURCE: Final = 160
_LONGEST_TEXT: Final = 4_000
_BYTES_PER_TOKEN: Final = 3
_LOOP: Final = re.compile(r"\bfor\b([^:]{1,200}?)\bin\b")
_WORD: Final = re.compile(r"[a-z]\w*")
_ENDED: Final = (
    "the sandbox of the program ended unexpectedly; run it again, or ask for less at once"
)
_UNCHECKED: Final = (
    "nothing was called: the program was not checked within {:g} s, because many are, or it is hard"
    " to check; try again later, or write a simpler one"
)
_PARSER: Final = "The monty syntax parser does not yet support "


@dataclass
class Printed:
    """What a program prints: the beginning is kept, of the rest only how much it was."""

    most: int
    text: str = ""
    omitted: int = 0

    def add(self, text: str) -> None:
        """Take what was printed; called from the thread of a turn."""
        room = self.most - len(self.text)
        self.text += text[:room]
        self.omitted += max(len(text) - room, 0)

    def shown(self) -> str:
        """The text, with a note about what is missing."""
        text = self.text.rstrip("\n")
        return f"{text}… ({self.omitted:,} more characters)" if self.omitted else text


@dataclass
class Program:
    """A program on its way, with all that its answer says."""

    tool: str
    code: str
    offer: Offer
    functions: Functions
    limits: ProgramLimits
    host: Host
    threads: Threads
    printed: Printed = field(init=False)
    #: Whether it waits for its turn no more.
    has_begun: bool = field(default=False, init=False)
    _is_checked: bool = field(default=False, init=False)
    #: Of the last call that failed: the error, as the program got it.
    _failed: ToolError | None = field(default=None, init=False)
    #: Of the last call: its line, and whether it goes on.
    _line: int | None = field(default=None, init=False)
    _is_calling: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.printed = Printed(_BYTES_PER_TOKEN * self.limits.output // 2)

    async def run(self, sandbox: Sandbox, checker: Checker, paused: Paused | None) -> Any:
        """The value of the last expression; ToolError where the program is wrong or fails."""
        self.has_begun = True
        try:
            turn = await self._last_turn(sandbox, checker, paused)
        except WorkerEndedError:
            raise self._error("backend_failed", _ENDED, self._last_place()) from None
        if isinstance(turn, Raised):
            raise self._raised(turn)
        if turn.problem:
            raise self._error("program_failed", f"the value cannot be sent: {turn.problem}", "")
        return turn.value

    def timeout(self) -> ToolError:
        """The error where a run took too long."""
        if not self._is_checked:
            return ToolError("timeout", _UNCHECKED.format(self.limits.seconds))
        text = f"the program did not end within {self.limits.seconds:g} s; do less at once"
        return self._error("timeout", text, self._last_place())

    async def _last_turn(
        self, sandbox: Sandbox, checker: Checker, paused: Paused | None
    ) -> Ended | Raised:
        state = paused.restored() if paused is not None else ""
        if not state:
            await self._check(checker)
        self._is_checked = True
        worker = await sandbox.program()
        session = Session(worker, self.offer.functions)
        try:
            turn = await (self._restored(session, state) if state else self._started(session))
            while isinstance(turn, Called):
                turn = await self._called(session, turn, paused)
            if isinstance(turn, Raised) and turn.kind == "MemoryError":
                worker.discard()
            return turn
        finally:
            sandbox.close(worker)

    async def _check(self, checker: Checker) -> None:
        """ToolError with what is wrong with the program; nothing of it has run then."""
        found = await checker.findings(self.code, self.offer.stubs)
        if not found:
            return
        # A program can be made to have names that take long to compare.
        wrong = await self.threads.run(mistakes, found, self.code, self.offer, self.functions)
        if wrong:
            raise ToolError("invalid_program", f"nothing was called.\n{shown(wrong)}")

    async def _started(self, session: Session) -> Turn:
        await session.bind(_builtin_targets(self.code))
        return await session.start(self.code, self.printed.add)

    async def _called(self, session: Session, called: Called, paused: Paused | None) -> Turn:
        """The turn after a call, which is carried out unless there were too many."""
        self._line = self.code.encode()[: called.start].count(b"\n") + 1
        if called.function not in self.offer.functions:
            return await session.fail("NameError", f"name '{called.function}' is not defined")
        if self.host.is_exhausted:
            text = f"more than {self.limits.calls} calls; do it in several programs"
            raise self._error("budget_exceeded", text, self._place(self._line))
        self._is_calling = True
        try:
            value = await session.worker.during(self.host.call(called))
            failed = None
        except ToolError as error:
            value, failed = None, error
        except InputRequired:
            if paused is not None:
                paused.pause(await self._state(session))
            raise
        self._is_calling = False
        if paused is not None:
            paused.end_call()
        if failed is None:
            return await session.resume(value)
        self._failed = failed
        return await session.fail("RuntimeError", error_text(failed))

    async def _state(self, session: Session) -> str:
        """The program where it waits for its user, so that nothing before that is done again."""
        packed = await session.pack()
        if packed is None or len(packed) > _LARGEST_STATE:
            text = (
                "the program holds too much to wait for its user; keep less in variables"
                " before this call, or make the call by itself"
            )
            raise self._error("unconfirmed", text, self._place(self._line))
        held = base64.b64encode(packed).decode()
        printed = self.printed
        return json.dumps([self._digest(), self.host.calls, printed.text, printed.omitted, held])

    async def _restored(self, session: Session, state: str) -> Turn:
        digest, calls, self.printed.text, self.printed.omitted, held = json.loads(state)
        if digest != self._digest():
            raise ToolError("invalid_arguments", "this answers the question of another program.")
        # The call that asked is made again: it was counted.
        self.host.calls = calls - 1
        return await session.restore(base64.b64decode(held), self.printed.add)

    def _digest(self) -> str:
        return hashlib.sha256(f"{self.tool}\n{self.code}".encode("utf-8", "replace")).hexdigest()

    def _raised(self, raised: Raised) -> ToolError:
        """What an exception that was not caught means for whoever wrote the program."""
        line, source, message = raised.line, raised.source, raised.message
        place = self._place(line, source)
        if raised.is_syntax or message.startswith(_PARSER):
            reason = message.removeprefix(_PARSER)
            text = f"no support for {reason}" if reason != message else reason
            start = f"line {line}: " if line else ""
            source = source[:_LONGEST_SOURCE]
            return ToolError("invalid_program", f"nothing was called.\n{start}{text}\n  {source}")
        if raised.kind == "TimeoutError" and "time limit exceeded" in message:
            return self.timeout()
        if raised.kind == "MemoryError":
            text = f"the program needs more than {self.limits.megabytes} MB; keep less at once"
            # Without a place, it could not take what a call returned.
            return self._error("budget_exceeded", text, place or self._last_place())
        if raised.kind == "RuntimeError" and self._failed and message == error_text(self._failed):
            return self._error(self._failed.code, self._failed.text, place)
        if message.startswith("external function ") and "cannot suspend" in message:
            message = "a tool cannot be called within map, sorted or max; call it in a loop before"
        if message == "'list' object is not an iterator":
            message += "; generators are lists here, so write next(iter(…))"
        return self._error("program_failed", f"{raised.kind}: {message}", place)

    def _error(self, code: str, text: str, place: str) -> ToolError:
        """An error with its place, and what was done before it."""
        # Else a long message would cut off what comes after it.
        text = text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
        lines = [text, *([place] if place else [])]
        if self.host.calls:
            lines.append(f"calls made: {self.host.calls}")
        if printed := self.printed.shown():
            lines.append(f"printed: {printed}")
        return ToolError(code, "\n".join(lines))

    def _place(self, line: int | None, source: str = "") -> str:
        if line is None:
            return ""
        source = source or "".join(self.code.split("\n")[line - 1 : line]).strip()
        return f"line {line}: {source[:_LONGEST_SOURCE]}"

    def _last_place(self) -> str:
        """The last call, or after it: where the program itself does not say where it is."""
        place = self._place(self._line)
        return place if self._is_calling or not place else f"after {place}"


def _builtin_targets(code: str) -> list[str]:
    """Names of builtins that loops of the program bind, as in `[get(id=id) for id in ids]`.

    In such a loop outside of a function, Monty 1.4 takes the name for the builtin.
    """
    words = (word for loop in _LOOP.findall(code) for word in _WORD.findall(loop))
    return [word for word in dict.fromkeys(words) if hasattr(builtins, word)]
