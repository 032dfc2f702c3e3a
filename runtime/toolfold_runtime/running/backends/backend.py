"""The protocol between the pipeline and what runs tools."""

from typing import Protocol

from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.arguments import ValidArguments
from toolfold_runtime.running.call import Call


class Backend(Protocol):
    """Runs tools with arguments that their schemas accept."""

    async def run(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> object:
        """What the tool returned, as it came; every failure is a ToolError.

        Cancelled when nobody waits any more; it may end later than that, and what is still
        running is counted until it does.
        """

    async def start(self) -> None:
        """Get ready, before the first call."""

    async def close(self) -> None:
        """Let go of everything, after the last call."""


class NoBackend:
    """A catalog that is described and cannot be called."""

    async def run(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> object:
        """ToolError: there is no implementation."""
        text = f"{entry.name} has no implementation here: the server only describes it."
        raise ToolError("backend_failed", text)

    async def start(self) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to let go of."""
