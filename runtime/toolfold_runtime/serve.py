"""Starting a generated server; the MCP SDK is imported here, when a server is really started."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from toolfold_runtime.catalog import Catalog

#: A meta-tool: flat parameters in, text out.
Handler: TypeAlias = Callable[..., str]


def serve(catalog: Catalog, meta_tools: Mapping[str, Handler], root: Path) -> int:
    """Serve over stdio until the client goes away; the exit code of the process."""
    import anyio

    from toolfold_runtime.execute import Executor
    from toolfold_runtime.implementation import ImplementationError, load_implementation
    from toolfold_runtime.server import run_stdio

    try:
        implementation = load_implementation(catalog.server["implementation"], root)
    except ImplementationError as error:
        print(error, file=sys.stderr)  # noqa: T201 - stdout belongs to the protocol
        return 1
    executor = Executor(catalog, implementation)
    try:
        anyio.run(run_stdio, catalog, meta_tools, executor)
    except KeyboardInterrupt:
        return 130
    return 0
