"""The contexts of calls: who sent a request, and the ways back to that client and its user."""

from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext

from toolfold_runtime.running.call import CallContext
from toolfold_runtime.running.notifications import Report
from toolfold_runtime.serving.asking import Questions
from toolfold_runtime.serving.callers import Callers
from toolfold_runtime.serving.client_log import client_log

#: Characters of a token for progress, which every message repeats.
_LONGEST_TOKEN: Final = 1_000


class CallContexts:
    """Makes the context of each call of one server."""

    def __init__(self, server: str, callers: Callers) -> None:
        self.questions = Questions(server, callers)
        self._callers = callers

    def context_of(
        self, context: ServerRequestContext[Any], params: types.InputResponseRequestParams
    ) -> CallContext:
        """The context of the call that a request asks for, by a tool's name or otherwise."""
        asker = self.questions.asker(context, params)
        return CallContext(
            self._callers.caller_of(context),
            _report(context),
            asker.confirm,
            asker.ask,
            client_log(context),
            (context.meta or {}).get("progress_token") is not None,
            asker.paused,
        )


def _report(context: ServerRequestContext[Any]) -> Report | None:
    """The function that sends progress to a client; None if its progress token is too large."""
    token = context.meta.get("progress_token") if context.meta else None
    is_long = isinstance(token, str) and len(token) > _LONGEST_TOKEN
    return None if is_long else context.session.report_progress
