"""Sending another server's answer as it came: the SDK would refuse or drop what it does not know."""

from contextvars import ContextVar
from typing import Any, Final

from mcp.server.context import ServerRequestContext

from toolfold_runtime.contract.codec import Json

_HELD: Final[ContextVar[Json | None]] = ContextVar("toolfold_foreign_answer", default=None)


def hold(answer: Json) -> Json:
    """An answer that the SDK accepts; `send_held` puts the real one in its place."""
    held = _HELD.get()
    if held is None:
        return answer
    held |= answer
    return {"resultType": held.pop("resultType"), "content": []}


async def send_held(ctx: ServerRequestContext[Any], call_next: Any) -> Any:
    """A middleware of the server: sends what was held back meanwhile."""
    held: Json = {}
    token = _HELD.set(held)
    try:
        result = await call_next(ctx)
    finally:
        _HELD.reset(token)
    if not held:
        return result
    meta = (held.get("_meta") or {}) | (result.get("_meta") or {})
    return result | held | ({"_meta": meta} if meta else {})
