"""CPU of the first call of one tool beyond a second call, in ms; printed as one number."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.execute import Executor


class Anything:
    """An implementation of every tool."""

    def __getattr__(self, name: str) -> Any:
        async def method(params: Any) -> dict[str, Any]:
            return {}

        return method


async def measure(project: Path, tool: str = "") -> float:
    """CPU of the first call of a tool less that of the second, after a call of another tool."""
    sys.path.insert(0, str(project / "generated"))
    import importlib

    catalog = importlib.import_module("drawn_mcp.catalog").CATALOG
    executor = Executor(catalog, backend_of(catalog, Anything()))
    names = [n for n in catalog.names() if _is_callable(catalog.entry(n))]
    await executor.call(catalog.entry(names[0]), {})
    middle = tool or names[len(names) // 2]
    catalog._entries.pop(middle)
    costs = []
    for _ in range(2):
        started = time.process_time()
        await executor.call(catalog.entry(middle), {})
        costs.append(time.process_time() - started)
    return (costs[0] - costs[1]) * 1000


def _is_callable(entry: ToolEntry) -> bool:
    schema = entry.definition.input_schema
    return not schema.get("required") and entry.definition.output_schema is None


if __name__ == "__main__":
    print(asyncio.run(measure(Path(sys.argv[1]), *sys.argv[2:])))
