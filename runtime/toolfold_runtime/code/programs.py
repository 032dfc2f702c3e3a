"""The meta-tools that run programs: what they take, and what they answer."""

from functools import partial
from importlib.util import find_spec
from typing import Any, Final

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.code.checker import Checker
from toolfold_runtime.code.functions import Functions, Offer
from toolfold_runtime.code.host import Host
from toolfold_runtime.code.program import Program
from toolfold_runtime.code.sandbox import MOST_PROGRAMS, Sandbox
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.server import ServerFacts
from toolfold_runtime.contract.tool import CallLimits, ToolEntry, ToolViews
from toolfold_runtime.errors import StartError, ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.call import Call, CallContext, Consent, Waiting
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.limits import Limits
from toolfold_runtime.running.question import Question
from toolfold_runtime.running.results import Result
from toolfold_runtime.running.shape import Answer
from toolfold_runtime.running.threads import Threads

_LONGEST: Final = 100_000
#: Characters of a program whose tools are looked up at once.
_SHORT: Final = 5_000
_NOTHING: Final = "no value: make the last line an expression, or print"


def require_extra(facts: ServerFacts) -> None:
    """StartError where the server runs programs and what runs them is not installed."""
    if facts.program_tools and find_spec("pydantic_monty") is None:
        names = " and ".join(facts.program_tools)
        text = f"{names} needs toolfold[code]: pip install 'toolfold[code]', or set `disclosure.code: off`"
        raise StartError(text)


class Programs:
    """Runs the programs of one server."""

    def __init__(self, catalog: Catalog, executor: Executor) -> None:
        facts = catalog.facts
        self._catalog = catalog
        self._executor = executor
        self._limits = facts.execution.program
        self._sandbox = Sandbox(self._limits)
        self._checker = Checker(self._sandbox)
        self._threads = Threads()
        # Of all that run at once, a quarter is left to other tools: there are none.
        self._running = Limits(self._limits.seconds, -(-MOST_PROGRAMS * 4 // 3))
        definitions = {definition.name: definition for definition in facts.meta_tools}
        self.entries = {
            name: ToolEntry(
                name=name,
                category="",
                effect="read" if effects == ("read",) else "write",
                module="",
                params="",
                method="",
                signature="",
                definition=definitions[name],
                views=ToolViews("", "", ""),
                listed_bytes=0,
                limits=CallLimits(concurrency=MOST_PROGRAMS, budget=self._limits.output),
            )
            for name, effects in facts.program_tools.items()
        }
        executor.endings.append(self._end)

    async def run(self, name: str, given: Json, context: CallContext) -> Answer:
        """What a program answers; every failure is a ToolError."""
        code = _code(name, given)
        entry = self.entries[name]
        call = Call(self._executor.cache, context)
        functions = Functions(self._catalog, self._catalog.facts.program_tools[name])
        offer = await self._offer(functions, code)
        inner = context._replace(
            report=None, confirm=_confirm(context, call), ask=_ask(context, call)
        )
        host = Host(self._catalog, self._executor, offer.functions, self._limits.calls, inner)
        program = Program(name, code, offer, functions, self._limits, host, self._threads)
        with self._executor.telemetry.program(name, code) as record:
            try:
                work = partial(program.run, self._sandbox, self._checker, context.paused)
                value = await self._running.run(entry, call, work)
            except ToolError as error:
                is_overdue = error.code == "timeout" and call.deadline.remaining <= 0
                if is_overdue and program.has_begun:
                    raise program.timeout() from None
                raise
            finally:
                record.calls = host.calls
                await call.end()
        return self._answer(entry, program, value, context)

    async def _offer(self, functions: Functions, code: str) -> Offer:
        """What a program is offered; a long one may name very many tools."""
        if len(code) < _SHORT:
            return functions.offer(code)
        return await self._threads.run(functions.offer, code)

    def _answer(
        self, entry: ToolEntry, program: Program, value: Any, context: CallContext
    ) -> Answer:
        """The value, what was printed, and how many calls were made; what is empty is left out."""
        answer: Json = {} if value is None else {"result": value}
        if printed := program.printed.shown():
            answer["printed"] = printed
        if program.host.calls:
            answer["calls"] = program.host.calls
        text = compact(answer)
        result = Result(answer, text, len(text.encode("utf-8", "replace")))
        shaped = self._executor.shaper.text(entry, result, context.caller)
        if value is None and not printed:
            return Answer(shaped.text, notes=(_NOTHING, *shaped.notes))
        return shaped

    async def _end(self) -> None:
        await self._running.end_abandoned()
        await self._sandbox.end()


def _code(name: str, given: Json) -> str:
    """The program's text with plain ends of lines, without the fence that some agents put around it."""
    code = given.get("code")
    if not isinstance(code, str) or not code.strip():
        raise ToolError("invalid_arguments", f'{name} needs a program: {name}({{"code": "…"}}).')
    if len(code) > _LONGEST:
        text = f"{name}: code has more than {_LONGEST:,} characters; write a shorter program."
        raise ToolError("invalid_arguments", text)
    code = code.replace("\r\n", "\n").replace("\r", "\n")
    lines = code.strip().split("\n")
    if lines[0].startswith("```") and lines[-1] == "```":
        return "\n".join(lines[1:-1])
    return code


def _confirm(context: CallContext, call: Call) -> Any:
    confirm = context.confirm
    if confirm is None:
        return None

    async def confirmed(question: str) -> Consent:
        async with call.waiting():
            return await confirm(question)

    return confirmed


def _ask(context: CallContext, call: Call) -> Any:
    ask = context.ask
    if ask is None:
        return None

    async def asked(question: Question, waiting: Waiting) -> Json | None:
        async with call.waiting():
            return await ask(question, waiting)

    return asked
