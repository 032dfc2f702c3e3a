"""What generated code imports: a catalog that is read on demand, and a server over it.

Importing this package costs neither the MCP SDK nor Pydantic: both load when they are needed, and so
do the types of content, which few servers use.
"""

from typing import TYPE_CHECKING

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.errors import ToolError, UnansweredError
from toolfold_runtime.running.ask import ask, ask_blocking
from toolfold_runtime.running.call import caller, is_cancelled, progress, results_cache
from toolfold_runtime.running.caller import Caller
from toolfold_runtime.serving.serve import Handler, serve
from toolfold_runtime.typing import Anything, MaybeAwaitable

if TYPE_CHECKING:
    from toolfold_runtime.content import (
        Audio,
        Content,
        File,
        Image,
        Link,
        MixedContent,
        Text,
        ToolResult,
    )
else:  # hidden from type checkers, to which every name would be an attribute

    def __getattr__(name: str) -> object:
        """A type of content, loaded when it is first asked for."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from toolfold_runtime import content

        return getattr(content, name)


__all__ = [
    "Anything",
    "Audio",
    "Caller",
    "Catalog",
    "Content",
    "File",
    "Handler",
    "Image",
    "Link",
    "MaybeAwaitable",
    "MixedContent",
    "Text",
    "ToolError",
    "ToolResult",
    "UnansweredError",
    "ask",
    "ask_blocking",
    "caller",
    "is_cancelled",
    "progress",
    "results_cache",
    "serve",
]
