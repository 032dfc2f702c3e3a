"""A program in a process of its own, turn by turn.

A turn ends where the program calls a tool, ends, or fails; in between nothing of it runs here.
"""

import zlib
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from toolfold_runtime.code.values import NoJsonError, json_value
from toolfold_runtime.code.worker import Worker, WorkerEndedError

if TYPE_CHECKING:
    from pydantic_monty import MontySession

_Step: TypeAlias = Callable[["MontySession"], Any]


class Called(NamedTuple):
    """The program calls a function and waits."""

    function: str
    positional: int
    arguments: dict[str, Any]
    #: Where the call starts in the program, in bytes.
    start: int
    #: Why the arguments cannot be sent; empty where they can.
    problem: str = ""


class Ended(NamedTuple):
    """The program has ended, with the value of its last expression."""

    value: Any
    #: Why the value cannot be sent; empty where it can.
    problem: str = ""


class Raised(NamedTuple):
    """An exception that the program did not catch, and the line that it came from."""

    kind: str
    message: str
    line: int | None
    source: str
    #: Whether the text of the program is wrong, so that nothing of it has run.
    is_syntax: bool = False


Turn: TypeAlias = Called | Ended | Raised


class Session:
    """One program and its process.

    The names of `functions` are values in it: it may pass them on before it calls them.
    """

    def __init__(self, worker: Worker, functions: Collection[str]) -> None:
        self.worker = worker
        self._functions = functions
        self._snapshot: Any = None

    async def bind(self, names: Collection[str]) -> None:
        """Make globals of some builtins, each where there is one."""
        if names:
            lines = (f"try:\n    {name} = {name}\nexcept NameError:\n    pass" for name in names)
            source = "\n".join(lines)
            await self.worker.do(lambda session: session.feed_run(source))

    async def start(self, code: str, printed: Callable[[str], None]) -> Turn:
        """The first turn of a program."""
        callback = _print_callback(printed)
        return await self._run(lambda session: session.feed_start(code, print_callback=callback))

    async def restore(self, packed: bytes, printed: Callable[[str], None]) -> Turn:
        """The turn of a program that was packed in another process."""
        callback = _print_callback(printed)

        def restored(session: "MontySession") -> Any:
            return session.load_snapshot(zlib.decompress(packed), print_callback=callback)

        return await self._run(restored)

    async def resume(self, value: Any) -> Turn:
        """The next turn, with what a call returned."""
        return await self._run(lambda _: self._snapshot.resume({"return_value": value}))

    async def fail(self, kind: Any, message: str) -> Turn:
        """The next turn, with an exception in place of what a call returns."""
        failed = {"exc_type": kind, "message": message}
        return await self._run(lambda _: self._snapshot.resume(failed))

    async def pack(self) -> bytes | None:
        """The program where it waits for a call; None where it holds too much to be dumped."""
        return await self.worker.do(lambda _: _packed(self._snapshot))

    async def _run(self, step: _Step) -> Turn:
        return await self.worker.do(lambda session: self._end_of(step, session))

    def _end_of(self, step: _Step, session: "MontySession") -> Turn:
        """Where a step leads, in our terms; what the sandbox asks meanwhile is answered here."""
        import pydantic_monty as monty

        try:
            self._snapshot = step(session)
            while (turn := _turn(self._snapshot)) is None:
                self._snapshot = self._answered(self._snapshot)
            return turn
        except (monty.MontySyntaxError, monty.MontyRuntimeError) as error:
            return _raised(error, is_syntax=isinstance(error, monty.MontySyntaxError))
        except monty.MontyCrashedError as error:
            if error.timed_out:
                return Raised("TimeoutError", "feed time limit exceeded", None, "")
            raise WorkerEndedError from None
        except monty.MontyError as error:
            return Raised(type(error).__name__, str(error), None, "")
        except ValueError as error:  # a number that is too long for Python's own
            return Raised("ValueError", str(error), None, "")

    def _answered(self, snapshot: Any) -> Any:
        """What follows a question: a name that is used as a value, the clock, a file, an import."""
        import pydantic_monty as monty

        if isinstance(snapshot, monty.FunctionSnapshot):
            return snapshot.resume_not_handled()
        if isinstance(snapshot, monty.NameLookupSnapshot):
            if snapshot.object_id is None and snapshot.variable_name in self._functions:
                return snapshot.resume(value=_function(snapshot.variable_name))
            return snapshot.resume()
        # No call is answered later than at once, so there is nothing to wait for.
        failed: Any = {"exc_type": "RuntimeError", "message": "nothing to wait for"}
        return snapshot.resume(dict.fromkeys(snapshot.pending_call_ids, failed))


def _packed(snapshot: Any) -> bytes | None:
    import pydantic_monty as monty

    try:
        return zlib.compress(snapshot.dump())
    except monty.MontyRuntimeError:
        return None
    except monty.MontyCrashedError:
        raise WorkerEndedError from None


def _turn(snapshot: Any) -> Called | Ended | None:
    """The end of a turn; None for a question that the sandbox is to answer by itself."""
    import pydantic_monty as monty

    if isinstance(snapshot, monty.MontyComplete):
        try:
            return Ended(json_value(snapshot.output, "result"))
        except NoJsonError as error:
            return Ended(None, str(error))
    if not isinstance(snapshot, monty.FunctionSnapshot) or snapshot.is_os_function:
        return None
    name, positional = str(snapshot.function_name), len(snapshot.args)
    start = snapshot.position.start
    try:
        given = {key: json_value(value, key) for key, value in snapshot.kwargs.items()}
    except NoJsonError as error:
        return Called(name, positional, {}, start, str(error))
    return Called(name, positional, given, start)


def _function(name: str) -> Callable[[], None]:
    """A function of that name, which the sandbox asks us to call when the program does."""

    def function() -> None:
        """Never called here."""

    function.__name__ = function.__qualname__ = name
    return function


def _raised(error: Any, *, is_syntax: bool) -> Raised:
    frames = error.traceback()
    frame = frames[-1] if frames else None
    return Raised(
        type(error.exception()).__name__,
        error.display("msg"),
        frame.line if frame else None,
        (frame.source_line or "").strip().partition("\n")[0] if frame else "",
        is_syntax,
    )


def _print_callback(printed: Callable[[str], None]) -> Callable[[str, str], None]:
    return lambda _, text: printed(text)
