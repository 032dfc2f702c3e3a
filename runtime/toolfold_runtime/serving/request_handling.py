"""Shared by all request handlers: errors of the protocol, lists in pages, questions as answers."""

import contextlib
from collections.abc import Awaitable, Iterator, Sequence
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolfold_runtime import server_log
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.errors import InputRequired, RequestError, ToolError, UnknownAddressError
from toolfold_runtime.jsontext import compact, sendable
from toolfold_runtime.serving.asking import refuse_lacking
from toolfold_runtime.serving.paging import page_of

#: How long clients may cache what is the same for as long as a server runs.
CACHE_MS: Final = 3_600_000
_MAX_ERROR_TEXT: Final = 20_000
_NOT_FOUND: Final = -32002  # in the handshake era; since then it is an invalid parameter
_LONGEST_DATA: Final = 4_096


def error_text(text: str) -> str:
    """A text as it can be sent: what an author or client says may be long, or be no Unicode."""
    return sendable(text, _MAX_ERROR_TEXT)


@contextlib.contextmanager
def protocol_errors(context: ServerRequestContext[Any], **facts: str) -> Iterator[None]:
    """Turn exceptions into errors of the protocol that reveal nothing of the server's inside.

    `facts` say what was asked for. They are sent to the client and not logged: they may hold
    arguments.
    """
    data = {key: sendable(value, _LONGEST_DATA) for key, value in facts.items()}
    try:
        yield
    except UnknownAddressError as error:
        is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        code = types.INVALID_PARAMS if is_modern else _NOT_FOUND
        raise MCPError(code, error_text(str(error)), data) from None
    except RequestError as error:
        raise MCPError(types.INVALID_PARAMS, error_text(str(error)), data) from None
    except ToolError as error:
        refuse_lacking(context, error)
        is_invalid = error.code == "invalid_arguments"
        code = types.INVALID_PARAMS if is_invalid else types.INTERNAL_ERROR
        raise MCPError(code, error_text(str(error)), data | {"code": error.code}) from None
    except (InputRequired, MCPError):
        raise
    except Exception as error:
        # The SDK would send the exception's text to the client.
        server_log.failure("the server failed", error, method=context.method)
        text = "the server failed; its log says why"
        raise MCPError(types.INTERNAL_ERROR, text, data) from None


async def answer_or_question(answer: Awaitable[Json]) -> Any:
    """An answer of a handler; where the user must be asked first, the question."""
    try:
        return await answer
    except InputRequired as asked:
        return asked.make_answer()


def listed(items: Sequence[Json], cursor: str | None, key: str) -> Json:
    """A page of a list as a result."""
    page = page_of(items, lambda item: len(compact(item).encode()), cursor)
    return {"resultType": "complete", key: list(page.items), **page.end}
