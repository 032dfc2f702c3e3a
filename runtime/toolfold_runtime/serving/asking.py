"""Asking the user of a client, as the client's version of the protocol does it.

A modern client gets the question as the answer to its call, and calls again with what its user said
and with a state that only this server can have sealed. An older one is asked while its call waits,
which needs a way back to it: over stdio there is one, over stateless HTTP there is none.
"""

import hashlib
import json
import os
import secrets
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Protocol

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolfold_runtime.bounded import BoundedCache
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import CONFIRM
from toolfold_runtime.errors import InputRequired, StartError, ToolError, UnansweredError
from toolfold_runtime.running.call import Consent, Paused, Waiting
from toolfold_runtime.running.question import Question
from toolfold_runtime.serving.callers import Callers

#: Holds the keys of states where several processes serve one address, separated by commas.
KEYS_VARIABLE: Final = "TOOLFOLD_STATE_KEYS"

_SECONDS: Final = 600.0
_MOST_WAITING: Final = 100
_MOST_USED: Final = 10_000
#: Characters of the answers of a call, which travel in its state.
_LONGEST_ANSWERS: Final = 100_000
# To accept the form is to agree. The field is for clients that cannot show a form without any, and
# is not required, because others can only be answered yes or no and send no content.
_CONSENT_FORM: Final = {
    "type": "object",
    "properties": {CONFIRM: {"type": "boolean", "title": "Run it", "default": True}},
}
_DECLINED: Final = Consent("the user declined it; do not call it again unless the user asks for it")
_UNCLEAR: Final = Consent(f"the client's answer is unclear: `{CONFIRM}` must be true or false")
_DISMISSED: Final = Consent("the user dismissed the question; ask whether to try again")
_UNANSWERED: Final = (
    f"the user did not answer within {_SECONDS / 60:g} minutes; call again when the user is there"
)
_FAILED: Final = "the client failed to ask its user; ask yourself, then call again"
_TOO_MANY: Final = "too many questions wait for an answer; try again later"
_TOO_LONG: Final = f"the answers have more than {_LONGEST_ANSWERS:,} characters; give shorter ones"
_NO_FORMS: Final = "this client cannot ask for it; use one that supports elicitation"
_NO_WAY_BACK: Final = (
    "a client of this protocol version cannot be asked over HTTP;"
    " use one of version 2026-07-28 or later, or stdio"
)


class Asker(Protocol):
    """Asks the user of the client that sent one request."""

    #: Where a program waits that asks; None where the question is asked while it runs.
    paused: Paused | None

    async def confirm(self, question: str) -> Consent:
        """Whether the user agrees."""

    async def ask(self, question: Question, waiting: Waiting) -> Json | None:
        """What the user fills in; None where the user declined. UnansweredError where nothing came of it."""


class Questions:
    """The questions of one server."""

    def __init__(self, server: str, callers: Callers) -> None:
        self.waiting = 0
        self._server = server
        self._callers = callers
        self._used: BoundedCache[bool] = BoundedCache(_MOST_USED, _MOST_USED)

    def boundary(self) -> RequestStateBoundary:
        """The middleware that seals states, each valid for one request and caller, for ten minutes.

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

    def asker(
        self, context: ServerRequestContext[Any], params: types.InputResponseRequestParams
    ) -> Asker:
        """The asker for a request, in the way of the protocol version that it was sent in."""
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return _ModernAsker(self, context, params)
        return _LegacyAsker(self, context)

    def use_up(self, number: str) -> bool:
        """Mark a state as used; False where it was used before."""
        if self._used.get(number):
            return False
        return self._used.put(number, value=True, size=1, seconds=_SECONDS)

    def _principal(self, context: ServerRequestContext[Any, Any]) -> str | None:
        return self._callers.caller_of(context).key


def refuse_lacking(context: ServerRequestContext[Any], error: ToolError) -> None:
    """MCPError where a modern client lacks the capability that a question needs."""
    if not isinstance(error, UnansweredError) or not error.lacks_forms:
        return
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        required = types.ClientCapabilities(elicitation=types.ElicitationCapability())
        data = types.MissingRequiredClientCapabilityErrorData(required_capabilities=required)
        shown = data.model_dump(by_alias=True, mode="json", exclude_none=True)
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, error.text, shown) from None


@dataclass
class _State:
    """The state that a modern client brings back with the answers to its questions."""

    #: Names this state: consent is given once.
    number: str = ""
    #: The digest of the question whether the tool may run, and whether the user has agreed to it.
    consent: str = ""
    has_consent: bool = False
    #: Content by the name of a question; None where the user declined.
    answers: dict[str, Json | None] = field(default_factory=dict)
    #: Where the program that asked waits; empty where a call by itself did.
    program: str = ""


class _ModernAsker:
    """The questions of one request of a modern client, which brings the answers along."""

    def __init__(
        self,
        questions: Questions,
        context: ServerRequestContext[Any],
        params: types.InputResponseRequestParams,
    ) -> None:
        self.paused: Paused | None = self
        self._questions = questions
        self._context = context
        self._params = params
        self._responses = params.input_responses or {}
        self._state: _State | None = None
        self._open: dict[str, types.InputRequest] = {}

    async def confirm(self, question: str) -> Consent:
        """The user's answer to exactly this question; InputRequired where there is none yet."""
        if not _has_forms(self._context):
            return Consent(_NO_FORMS, can_ask=False)
        state, answer = self._restored_state(), self._response(CONFIRM)
        digest = hashlib.sha256(question.encode()).hexdigest()
        is_answered = state.consent == digest and (state.has_consent or answer is not None)
        if is_answered and self._questions.use_up(state.number):
            consent = Consent() if answer is None or state.has_consent else _consent(answer)
            state.has_consent = not consent.refusal
            return consent
        state.consent, state.has_consent = digest, False
        raise self._required(CONFIRM, question, _CONSENT_FORM)

    async def ask(self, question: Question, waiting: Waiting) -> Json | None:
        """The valid answer that came with the request; InputRequired if there is none."""
        if not _has_forms(self._context):
            raise UnansweredError(_NO_FORMS, can_ask=False, lacks_forms=True)
        answers, answer = self._restored_state().answers, self._response(question.name)
        if answer is not None:
            answers[question.name] = answer.content or {} if answer.action == "accept" else None
        if question.name in answers:
            content = answers.pop(question.name)
            try:
                valid = None if content is None else question.content(content)
            except ValueError:
                pass  # to be asked again
            else:
                answers[question.name] = valid
                if len(json.dumps(answers)) > _LONGEST_ANSWERS:
                    raise UnansweredError(_TOO_LONG)
                return valid
        raise self._required(question.name, question.message, question.schema)

    def restored(self) -> str:
        """The state of the program that asked, which only this server can have sealed."""
        return self._restored_state().program

    def pause(self, state: str) -> None:
        """Send the state of the program along with the question."""
        self._restored_state().program = state

    def end_call(self) -> None:
        """Forget the answers: they were about one call of the program's."""
        self._state, self._responses, self._open = _State(), {}, {}

    def _restored_state(self) -> _State:
        """The state of an earlier round, which only this server can have sealed."""
        if self._state is None:
            try:
                self._state = _State(**json.loads(self._params.request_state or "{}"))
            except (ValueError, TypeError):  # sealed by another version of toolfold
                self._state = _State()
        return self._state

    def _response(self, name: str) -> types.ElicitResult | None:
        answer = self._responses.get(name)
        return answer if isinstance(answer, types.ElicitResult) else None

    def _required(self, name: str, message: str, schema: Json) -> InputRequired:
        form = types.ElicitRequestFormParams(message=message, requested_schema=schema)
        self._open[name] = types.ElicitRequest(params=form)
        return InputRequired(self._result)

    def _result(self) -> types.InputRequiredResult:
        state = replace(self._restored_state(), number=secrets.token_urlsafe(12))
        return types.InputRequiredResult(
            input_requests=self._open, request_state=json.dumps(asdict(state))
        )


class _LegacyAsker:
    """The questions of one request of an older client, whose user is asked while it waits."""

    def __init__(self, questions: Questions, context: ServerRequestContext[Any]) -> None:
        self.paused: Paused | None = None
        self._questions = questions
        self._context = context

    async def confirm(self, question: str) -> Consent:
        """The user's answer, for which the call waits."""
        try:
            return _consent(await self._elicited(question, _CONSENT_FORM))
        except UnansweredError as error:
            return Consent(error.reason, error.can_ask)

    async def ask(self, question: Question, waiting: Waiting) -> Json | None:
        """The form that the user fills in while the call waits."""
        async with waiting():
            answer = await self._elicited(question.message, question.schema)
        if answer.action != "accept":
            return None
        try:
            return question.content(answer.content)
        except ValueError as error:
            raise UnansweredError(
                f"the client's answer does not fit the question: {error}"
            ) from None

    async def _elicited(self, message: str, schema: Json) -> types.ElicitResult:
        session, questions = self._context.session, self._questions
        if not session.can_send_request:
            raise UnansweredError(_NO_WAY_BACK, can_ask=False)
        if not _has_forms(self._context):
            raise UnansweredError(_NO_FORMS, can_ask=False, lacks_forms=True)
        if questions.waiting >= _MOST_WAITING:
            raise UnansweredError(_TOO_MANY)
        questions.waiting += 1
        try:
            with anyio.move_on_after(_SECONDS):
                return await session.elicit_form(message, schema, self._context.request_id)
            raise UnansweredError(_UNANSWERED)
        except (MCPError, ValueError):
            # Not the same as a client that cannot ask: the user may have said no.
            raise UnansweredError(_FAILED) from None
        finally:
            questions.waiting -= 1


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
    agrees = (answer.content or {}).get(CONFIRM, True)
    if agrees is True:
        return Consent()
    return _DECLINED if agrees is False else _UNCLEAR
