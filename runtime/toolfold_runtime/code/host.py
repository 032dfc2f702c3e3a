"""The calls of one program: each goes through the same door as any other call of its caller."""

from collections.abc import Mapping
from typing import Any, Final

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.code.session import Called
from toolfold_runtime.contract.stub import ToolStub
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.call import CallContext
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.results import Result

_LONGEST_MESSAGE: Final = 4_000


class Host:
    """Carries out the calls of one program, one after another."""

    def __init__(
        self,
        catalog: Catalog,
        executor: Executor,
        functions: Mapping[str, ToolStub],
        most: int,
        context: CallContext,
    ) -> None:
        self.calls = 0
        self._catalog = catalog
        self._executor = executor
        self._functions = functions
        self._most = most
        self._context = context

    async def call(self, called: Called) -> Any:
        """What the tool returned, as plain JSON; ToolError where it failed or may not be called."""
        stub = self._functions.get(called.function)
        if stub is None:
            raise ToolError("unknown_tool", f"no function {called.function}")
        if called.positional:
            text = (
                f"{called.function} takes its arguments by keyword: {called.function}(name=value)"
            )
            raise ToolError("invalid_arguments", text)
        if called.problem:
            raise ToolError("invalid_arguments", f"{called.function}: {called.problem}")
        entry = self._catalog.entry(stub.tool)
        given = {stub.parameters.get(key, key): value for key, value in called.arguments.items()}
        self.calls += 1
        result = await self._executor.result(entry, given, self._context)
        if result.is_error:
            raise ToolError("backend_failed", "\n".join(_texts(result)) or f"{entry.name} failed")
        return result_value(entry, result)

    @property
    def is_exhausted(self) -> bool:
        """Whether the program has made as many calls as it may."""
        return self.calls >= self._most


def result_value(entry: ToolEntry, result: Result) -> Any:
    """What a program sees of a result: its value, or the text and a description of its content."""
    if result.text is not None:
        return result.value
    if entry.upstream is not None and len(result.blocks) == 1:
        from toolfold_runtime.running.foreign import parsed_block

        parsed = parsed_block(result.blocks[0])  # many servers send JSON as text
        if parsed is not None:
            return parsed
    texts = _texts(result)
    return texts[0] if len(texts) == 1 else texts


def error_text(error: ToolError) -> str:
    """An error as the program sees it: code and text, as an agent would."""
    text = str(error)[:_LONGEST_MESSAGE]
    return text.encode("utf-8", "replace").decode()  # half of a surrogate pair cannot be passed on


def _texts(result: Result) -> list[str]:
    from toolfold_runtime.running.blocks import described

    return [described(block.sent) for block in result.blocks]
