"""Asking the user of a client, in the way of each era of the protocol.

A modern client gets the question as the answer to its call, and calls again with what its user said
and with a state that only this server can have sealed. An older one is asked while its call waits,
which needs a way back to it: over stdio there is one, over stateless HTTP there is none.
"""

import hashlib
import os
import secrets
from functools import partial
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolfold_runtime.bounded import BoundedCache
from toolfold_runtime.errors import StartError
from toolfold_runtime.running.call import Confirm, Consent
from toolfold_runtime.running.confirm import InputRequired
from toolfold_runtime.serving.callers import Callers

#: Holds the keys of states where several processes serve one address, separated by commas.
KEYS_VARIABLE: Final = "TOOLFOLD_STATE_KEYS"

_SECONDS: Final = 600.0
_MOST_WAITING: Final = 100
_MOST_USED: Final = 10_000
_FIELD: Final = "confirm"
# To accept the form is to agree. The field is for clients that cannot show a form without any, and
# is not required, because others can only be answered yes or no and send no content.
_FORM: Final = {
    "type": "object",
    "properties": {_FIELD: {"type": "boolean", "title": "Run it", "default": True}},
}
_DECLINED: Final = Consent("the user declined it; do not call it again unless the user asks for it")
_UNCLEAR: Final = Consent(f"the client's answer is unclear: `{_FIELD}` must be true or false")
_DISMISSED: Final = Consent("the user dismissed the question; ask whether to try again")
_UNANSWERED: Final = Consent(
    f"the user did not answer within {_SECONDS / 60:g} minutes; call again when the user is there"
)
_FAILED: Final = Consent("the client failed to ask its user; ask yourself, then call again")
_TOO_MANY: Final = Consent("too many questions wait for an answer; try again later")
_NO_FORMS: Final = Consent(
    "this client cannot ask for it; use one that supports elicitation", can_ask=False
)
_NO_WAY_BACK: Final = Consent(
    "a client of this protocol version cannot be asked over HTTP;"
    " use one of version 2026-07-28 or later, or stdio",
    can_ask=False,
)


class Confirmations:
    """The questions of one server."""

    def __init__(self, server: str, callers: Callers) -> None:
        self._server = server
        self._callers = callers
        self._waiting = 0
        self._used: BoundedCache[bool] = BoundedCache(_MOST_USED, _MOST_USED)

    def boundary(self) -> RequestStateBoundary:
        """The middleware that seals states: for one call, its caller and ten minutes.

        StartError where the keys in the environment cannot be used.
        """
        keys = [key for key in os.environ.get(KEYS_VARIABLE, "").split(",") if key]
        try:
            security = RequestStateSecurity(
                keys=keys or [secrets.token_bytes(32)], ttl=_SECONDS, bind_principal=self._principal
            )
        except ValueError:
            text = (
                f"{KEYS_VARIABLE}: each key needs 32 characters or more, and none may be repeated"
            )
            raise StartError(text) from None
        return RequestStateBoundary(security, default_audience=self._server)

    def confirm_for(
        self, context: ServerRequestContext[Any], params: types.InputResponseRequestParams
    ) -> Confirm:
        """What asks the user of the client that sent this request."""
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return partial(self._exchange, context, params)
        return partial(self._ask, context)

    def _principal(self, context: ServerRequestContext[Any, Any]) -> str | None:
        return self._callers.of(context).key

    async def _exchange(
        self,
        context: ServerRequestContext[Any],
        params: types.InputResponseRequestParams,
        question: str,
    ) -> Consent:
        """What the user said to exactly this question; InputRequired where nothing was said yet."""
        if not _has_forms(context):
            return _NO_FORMS
        asked, _, number = (params.request_state or "").partition(" ")
        answer = (params.input_responses or {}).get(_FIELD)
        if asked != _digest(question) or not isinstance(answer, types.ElicitResult):
            raise _question(question)
        if self._used.get(number):
            raise _question(question)  # an answer is good for one call
        self._used.put(number, value=True, size=1, seconds=_SECONDS)
        return _consent(answer)

    async def _ask(self, context: ServerRequestContext[Any], question: str) -> Consent:
        """What the user says while the call waits."""
        session = context.session
        if not session.can_send_request:
            return _NO_WAY_BACK
        if not _has_forms(context):
            return _NO_FORMS
        if self._waiting >= _MOST_WAITING:
            return _TOO_MANY
        self._waiting += 1
        try:
            with anyio.move_on_after(_SECONDS):
                return _consent(await session.elicit_form(question, _FORM, context.request_id))
            return _UNANSWERED
        except (MCPError, ValueError):
            return _FAILED  # not the same as a client that cannot ask: the user may have said no
        finally:
            self._waiting -= 1


def _question(question: str) -> InputRequired:
    form = types.ElicitRequestFormParams(message=question, requested_schema=_FORM)
    result = types.InputRequiredResult(
        input_requests={_FIELD: types.ElicitRequest(params=form)},
        request_state=f"{_digest(question)} {secrets.token_urlsafe(12)}",
    )
    return InputRequired(result)


def _has_forms(context: ServerRequestContext[Any]) -> bool:
    capabilities = context.session.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    # Without a word about modes it is forms.
    return asking is not None and (asking.form is not None or asking.url is None)


def _consent(answer: types.ElicitResult) -> Consent:
    if answer.action == "cancel":
        return _DISMISSED
    if answer.action != "accept":
        return _DECLINED
    said = (answer.content or {}).get(_FIELD, True)
    if said is True:
        return Consent()
    return _DECLINED if said is False else _UNCLEAR


def _digest(question: str) -> str:
    return hashlib.sha256(question.encode()).hexdigest()
