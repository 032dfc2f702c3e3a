"""What generated code imports: a catalog that is read on demand, and a server over it.

Importing this package costs neither the MCP SDK nor Pydantic: both load when they are needed.
"""

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.errors import ToolError, UnansweredError
from toolfold_runtime.running.ask import ask, ask_blocking
from toolfold_runtime.running.call import caller, is_cancelled, progress, results_cache
from toolfold_runtime.running.caller import Caller
from toolfold_runtime.serving.serve import Handler, serve
from toolfold_runtime.typing import Anything, MaybeAwaitable

__all__ = [
    "Anything",
    "Caller",
    "Catalog",
    "Handler",
    "MaybeAwaitable",
    "ToolError",
    "UnansweredError",
    "ask",
    "ask_blocking",
    "caller",
    "is_cancelled",
    "progress",
    "results_cache",
    "serve",
]
