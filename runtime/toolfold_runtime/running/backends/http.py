"""The HTTP backend: tools that operations of HTTP APIs carry out."""

from functools import partial
from typing import TYPE_CHECKING, Final

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.http import HttpOperation
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.arguments import ValidArguments, valid_call
from toolfold_runtime.running.call import Call
from toolfold_runtime.running.results import NotedResult
from toolfold_runtime.running.threads import Threads
from toolfold_runtime.upstream.errors import OutageError, UnsentError, UpstreamError
from toolfold_runtime.upstream.secrets import MissingVariableError
from toolfold_runtime.upstream.state import ServerState

if TYPE_CHECKING:
    from toolfold_runtime.content import Audio, File, Image
    from toolfold_runtime.http_api.answer import Bytes
    from toolfold_runtime.http_api.request import ApiRequest
    from toolfold_runtime.http_api.send import Api, Received
    from toolfold_runtime.running.answer_schemas import AnswerSchemas
    from toolfold_runtime.upstream.pool import HttpPool

#: Bytes of an answer that is read within a millisecond.
_QUICK: Final = 20_000


class HttpApis:
    """Runs operations of HTTP APIs; nothing is imported or connected before the first call."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._threads = Threads()
        self._apis: dict[str, Api] = {}
        self._states: dict[str, ServerState] = {}
        self._pool: HttpPool | None = None
        self._schemas: AnswerSchemas | None = None

    async def run(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> object:
        """What the API answered, with notes; every failure is a ToolError."""
        operation = _operation(entry)
        state = self._state(operation.server)
        state.calls += 1
        state.failed_calls += 1  # until it has answered
        try:
            api = self._api(operation.server)
            request = await self._request(api, entry, arguments)
            if not operation.may_repeat:
                call.obstacle = "it may have been carried out all the same"
            received = await api.send(
                request, lambda: call.deadline.remaining, may_repeat=operation.may_repeat
            )
        except (UpstreamError, MissingVariableError) as error:
            raise _failure(operation, error, state) from None
        call.obstacle = ""
        state.change("connected")
        if received.status >= 300:
            from toolfold_runtime.http_api.failure import failure_text

            raise ToolError("backend_failed", failure_text(operation, received, api.mask))
        state.failed_calls -= 1
        read = partial(self._read, entry, arguments, received, api)
        is_quick = len(received.body) <= _QUICK and self._answer_schemas().has_read(entry)
        return read() if is_quick else await self._threads.run(read)

    async def start(self) -> None:
        """Nothing is connected before it is needed."""

    async def close(self) -> None:
        """Close all connections."""
        for state in self._states.values():
            state.report()
        if self._pool is not None:
            await self._pool.close()

    def states(self) -> list[ServerState]:
        """The state of every declared API, in the manifest's order."""
        declared = self._catalog.upstream_servers.values()
        return [self._state(server.name) for server in declared if server.is_http_api]

    async def _request(
        self, api: "Api", entry: ToolEntry, arguments: ValidArguments
    ) -> "ApiRequest":
        """The request that the arguments make; ToolError `invalid_arguments` where they make none."""
        from toolfold_runtime.http_api.errors import ArgumentError
        from toolfold_runtime.http_api.request import request_of

        work = partial(request_of, api.base, _operation(entry), arguments.sent)
        try:
            return work() if arguments.are_small else await self._threads.run(work)
        except ArgumentError as error:
            example = valid_call(entry)
            lines = [f"invalid arguments for {entry.name}:", f"- {error}."]
            lines += [f"valid call: {example}"] if example else []
            raise ToolError("invalid_arguments", "\n".join(lines)) from None

    def _read(
        self, entry: ToolEntry, arguments: ValidArguments, received: "Received", api: "Api"
    ) -> object:
        """The result, and what is to be said about it. May take long."""
        from toolfold_runtime.http_api.answer import Bytes, answer_of
        from toolfold_runtime.http_api.pages import following_page

        operation = _operation(entry)
        answer = answer_of(received, operation.method, api.mask)
        notes = [f"note: {note}" for note in answer.notes]
        if answer.is_json:
            notes.append(self._answer_schemas().difference(entry, answer.value, len(received.body)))
            schema = entry.definition.input_schema
            properties = schema.get("properties") or {}
            page = (properties, arguments.sent, answer.value, received.headers)
            notes.append(api.mask(following_page(operation, *page)))
        value = answer.value
        if isinstance(value, Bytes):
            value = _content(value)
        given_notes = tuple(note for note in notes if note)
        return NotedResult(value, given_notes, answer.is_json and len(received.body) <= _QUICK)

    def _answer_schemas(self) -> "AnswerSchemas":
        if self._schemas is None:
            from toolfold_runtime.running.answer_schemas import AnswerSchemas

            self._schemas = AnswerSchemas(self._catalog)
        return self._schemas

    def _state(self, name: str) -> ServerState:
        return self._states.setdefault(name, ServerState(name))

    def _api(self, name: str) -> "Api":
        if name not in self._apis:
            from toolfold_runtime.http_api.send import Api
            from toolfold_runtime.upstream.pool import HttpPool

            self._pool = self._pool or HttpPool()
            self._apis[name] = Api(self._catalog.upstream_servers[name], self._pool)
        return self._apis[name]


def _operation(entry: ToolEntry) -> HttpOperation:
    if entry.http is None:
        raise ToolError("backend_failed", f"{entry.name} has no operation.")
    return entry.http


def _content(content: "Bytes") -> "Image | Audio | File":
    """An image or audio if the data is of a type that models take; else a file."""
    from toolfold_runtime.content import Audio, File, Image
    from toolfold_runtime.running.media import media_type_of

    recognised = media_type_of(content.data) or ""
    if recognised.startswith("image/"):
        return Image(content.data, recognised)
    if recognised.startswith("audio/"):
        return Audio(content.data, recognised)
    return File(content.data, content.url, content.media_type)


def _failure(
    operation: HttpOperation, error: UpstreamError | MissingVariableError, state: ServerState
) -> ToolError:
    from toolfold_runtime.http_api.decode import TooLongError, UnreadableError

    text = f"{operation.server}: {error}."
    if isinstance(error, MissingVariableError):
        state.fail(str(error))
        way_out = "Whoever runs this server must set what is missing and start it again."
        return ToolError("backend_failed", f"{text} {way_out}")
    may_have_come = isinstance(error, OutageError | UnreadableError)
    if may_have_come and not operation.may_repeat and not isinstance(error, UnsentError):
        text += " It may have been carried out all the same."
    if isinstance(error, TooLongError):
        return ToolError("budget_exceeded", f"{text} Ask for less.")
    if isinstance(error, OutageError):
        state.fail(error.full)
        text += " Other tools are not affected."
    return ToolError("backend_failed", text)
