"""Calls by name, of meta-tools, runners and tools; the MCP server and `toolfold try` share it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolfold_runtime import jsontext
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.vocabulary import Exposure
from toolfold_runtime.disclosure.meta_tools import MetaTools
from toolfold_runtime.disclosure.received import refuse_non_json
from toolfold_runtime.disclosure.runners import refuse_effect, refuse_misplaced, run_request
from toolfold_runtime.errors import ToolError, UnansweredError
from toolfold_runtime.running import fields
from toolfold_runtime.running.call import ANONYMOUS, CallContext
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.offsets import asked_offset
from toolfold_runtime.running.shape import Answer

if TYPE_CHECKING:
    from toolfold_runtime.code.programs import Programs


@dataclass(frozen=True)
class Reply:
    """The answer to a call: blocks of content, and structured content if the tool promises it.

    A block is what the protocol calls one, in the form in which it is sent.
    """

    content: tuple[Json, ...]
    structured: Json | None = None
    #: Of another server's answer: its `_meta`, and whether it says that the tool failed.
    meta: Json | None = None
    is_error: bool = False
    #: Whether it is another server's, which is sent as it came.
    is_foreign: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts among the blocks."""
        return tuple(block["text"] for block in self.content if block["type"] == "text")


class Dispatcher:
    """Resolves a name to a meta-tool, runner or tool and runs it."""

    def __init__(
        self,
        catalog: Catalog,
        handlers: Mapping[str, Callable[..., str]],
        executor: Executor,
        exposure: Exposure | None = None,
    ) -> None:
        self.catalog = catalog
        self.executor = executor
        self.facts = catalog.facts
        self.exposure = exposure or self.facts.exposure
        self.meta_tools = MetaTools(catalog, handlers, self.exposure)
        self._programs = self._programs_of(catalog) if self.facts.program_tools else None

    def listed(self) -> list[str]:
        """The names that `tools/list` shows, the same for every connection."""
        if self.exposure == "direct":
            # A truncated result needs a listed tool that reads the rest.
            reader = self.facts.reader if self.facts.has_result_budget else None
            facts = self.facts
            meta = (facts.capabilities_tool, facts.schema_tool, *facts.program_tools, reader)
            return [*(name for name in meta if name), *self.catalog.names()]
        hot = self.facts.hot if self.exposure == "hybrid" else ()
        return [*self.meta_tools.definitions, *hot]

    def definition(self, name: str) -> Definition:
        """A tool or meta-tool as it is listed."""
        meta = self.meta_tools.definitions.get(name)
        return meta if meta is not None else self.catalog.entry(name).definition

    def listed_bytes(self, name: str) -> int:
        """The bytes of a tool or meta-tool in the list."""
        meta = self.meta_tools.definitions.get(name)
        if meta is not None:
            return jsontext.byte_size(meta.listed())
        return self.catalog.entry(name).listed_bytes

    async def call(self, name: str, arguments: Json, context: CallContext = ANONYMOUS) -> Reply:
        """The answer; every failure is a ToolError."""
        refuse_non_json(arguments)
        if name in self.meta_tools.handlers:
            return Reply(text_blocks(*self.meta_tools.answer(name, arguments)))
        if name in self.facts.runners:
            return await self._run(name, arguments, context)
        if self._programs is not None and name in self._programs.entries:
            return await self._run_program(self._programs, name, arguments, context)
        entry = self.catalog.entry(name)
        self._refuse_unlisted(entry.name)
        answer = await self.executor.call(entry, arguments, context=context)
        return _reply(answer)

    async def call_with_texts(
        self, tool: str, arguments: Mapping[str, str], context: CallContext
    ) -> Reply:
        """The answer of a tool to arguments that are all strings, as those of addresses and prompts are.

        A result that is a string is sent as plain text, without the quotes of JSON.
        """
        entry = self.catalog.entry(tool)
        refuse_non_json(dict(arguments))
        answer = await self.executor.call(entry, dict(arguments), are_texts=True, context=context)
        reply = _reply(answer)
        if reply.is_error:
            raise ToolError("backend_failed", "\n".join(reply.texts))
        result = (answer.structured or {}).get("result") if entry.wraps_result else None
        if not isinstance(result, str):
            return reply
        return Reply((*text_blocks(result), *reply.content[1:]))

    async def _run(self, runner: str, given: Json, context: CallContext) -> Reply:
        form = self.facts.arguments
        request = run_request(runner, given, form)
        if self._programs is not None and request.tool in self._programs.entries and request.cursor:
            program = self._programs.entries[request.tool]
            return _reply(await self.executor.read_on(program, request.cursor, context))
        if request.tool in self.meta_tools.definitions:
            text = f"{request.tool} is a meta-tool; call it by its own name."
            raise ToolError("effect_refused", text)
        entry = self.catalog.entry(request.tool)
        refuse_misplaced(runner, entry, request.unknown, form)
        warnings = self.meta_tools.unknown_parameters(runner, request.unknown)
        offset = asked_offset(entry, request.cursor)
        if request.cursor and not offset:
            # Reading on runs nothing, so any runner may do it.
            answer = await self.executor.read_on(entry, request.cursor, context)
        else:
            refuse_effect(runner, entry, self.facts.runners)
            wanted = fields.parsed(request.fields)
            try:
                answer = await self.executor.call(
                    entry,
                    request.arguments,
                    runner=runner,
                    fields=wanted,
                    offset=offset,
                    context=context,
                )
            except UnansweredError:
                raise  # which not every version of the protocol answers as a failure of the tool
            except ToolError as error:
                raise ToolError(error.code, "\n".join([error.text, *warnings])) from None
        return _reply(answer, *warnings)

    def _programs_of(self, catalog: Catalog) -> "Programs":
        from toolfold_runtime.code.programs import Programs  # few servers run any

        return Programs(catalog, self.executor)

    async def _run_program(
        self, programs: "Programs", name: str, given: Json, context: CallContext
    ) -> Reply:
        properties = self.meta_tools.definitions[name].input_schema["properties"]
        unknown = [key for key in given if key not in properties]
        warnings = self.meta_tools.unknown_parameters(name, unknown)
        return _reply(await programs.run(name, given, context), *warnings)

    def _refuse_unlisted(self, name: str) -> None:
        if self.facts.unlisted_calls == "allow" or name in self.listed():
            return
        runners = " or ".join(self.facts.runners)
        text = f"{name} is not listed." + (f" Run it with {runners}." if runners else "")
        raise ToolError("effect_refused", text)


def text_blocks(*texts: str) -> tuple[Json, ...]:
    """Texts as blocks of content."""
    return tuple({"type": "text", "text": text} for text in texts)


def _reply(answer: Answer, *warnings: str) -> Reply:
    """A result and what is noted about it, as blocks."""
    value = () if answer.text is None else text_blocks(answer.text)
    blocks = (block.sent for block in answer.blocks)
    content = (*value, *blocks, *text_blocks(*answer.notes, *warnings))
    return Reply(content, answer.structured, answer.meta, answer.is_error, answer.is_foreign)
