"""Log messages to clients that ask for them, in both versions of the protocol.

A modern client asks with each request. An older one asks once for its connection, and is sent
nothing until then; over stateless HTTP there is no connection, so nothing could remember it.
"""

from functools import partial
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolfold_runtime.running.notifications import ClientLog

#: The protocol's levels, as `logging` numbers such levels.
_LEVELS: Final[dict[types.LoggingLevel, int]] = {
    "debug": 0,
    "info": 20,
    "notice": 25,
    "warning": 30,
    "error": 40,
    "critical": 50,
    "alert": 60,
    "emergency": 70,
}
_REMEMBERED: Final = "toolfold.log_level"


async def set_level(
    context: ServerRequestContext[Any], params: types.SetLevelRequestParams
) -> types.EmptyResult:
    """Take note of the level that the client of a connection wants."""
    if context.request is None:  # over HTTP the state is that of all clients
        context.lifespan_context[_REMEMBERED] = params.level
    return types.EmptyResult()


def client_log(context: ServerRequestContext[Any]) -> ClientLog | None:
    """The way of log messages to the client of a request; None where it did not ask for them."""
    level: Any
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        level = context.meta.get(types.LOG_LEVEL_META_KEY) if context.meta else None
    else:
        level = context.lifespan_context.get(_REMEMBERED)
    return ClientLog(_LEVELS[level], partial(_send, context)) if level in _LEVELS else None


async def _send(context: ServerRequestContext[Any], level: int, logger: str, data: object) -> None:
    name = next(name for name, least in reversed(_LEVELS.items()) if least <= max(level, 0))
    params = types.LoggingMessageNotificationParams(level=name, logger=logger, data=data)
    note = types.LoggingMessageNotification(params=params)
    await context.session.send_notification(note, context.request_id)
