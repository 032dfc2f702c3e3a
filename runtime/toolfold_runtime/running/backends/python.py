"""The Python backend: one method of the user's class per tool, sync or async."""

import asyncio
import importlib
import inspect
from dataclasses import dataclass
from typing import Any, Final

from toolfold_runtime import log
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.arguments import ValidArguments
from toolfold_runtime.running.backends.backend import Backend, NoBackend
from toolfold_runtime.running.backends.implementation import ImplementationError
from toolfold_runtime.running.backends.threads import Workers
from toolfold_runtime.running.call import Call, set_current

_CLOSING: Final = 10.0


def backend_of(catalog: Catalog, implementation: object | None) -> Backend:
    """The backend of a catalog: the user's class, or `NoBackend` where none is declared."""
    return NoBackend() if implementation is None else Methods(catalog, implementation)


@dataclass(frozen=True)
class _Method:
    """A tool's method, found and prepared when the tool was first called."""

    function: Any
    model: Any
    is_async: bool
    #: By property: the model's attribute.
    attributes: dict[str, str]


class Methods:
    """Runs tools with one instance of the user's class."""

    def __init__(self, catalog: Catalog, implementation: object) -> None:
        self._catalog = catalog
        self._implementation = implementation
        self._workers = Workers()
        self._methods: dict[str, _Method] = {}

    async def run(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> Any:
        """What the method returned; blocking methods run in a thread of their own."""
        method = self._methods.get(entry.name) or self._prepared(entry)
        params = _params(entry, method, arguments)
        set_current(call)
        try:
            if method.is_async:
                return await method.function(params)
            result = await self._blocking(method, params, call)
            return await result if inspect.isawaitable(result) else result
        except ToolError:
            raise  # the author's own words to the agent
        except TimeoutError:
            text = f"{entry.name} did not answer in time; try again, or ask for less."
            raise ToolError("timeout", text) from None
        except NotImplementedError:
            text = f"{entry.name} is not implemented by the server."
            raise ToolError("backend_failed", text) from None
        except asyncio.CancelledError:
            if call.is_cancelled:
                raise
            raise _failure(entry, "CancelledError") from None
        except BaseException as error:
            # Of any kind: SystemExit would end the server. The traceback is for the author; an
            # agent gets a message without internals.
            log.failure("the method failed", error, tool=entry.name)
            raise _failure(entry, type(error).__name__) from None

    async def start(self) -> None:
        """Await the implementation's `start`, where it has one; ImplementationError if it fails."""
        await self._lifecycle("start")

    async def close(self) -> None:
        """Await the implementation's `close`, where it has one, for a while."""
        try:
            async with asyncio.timeout(_CLOSING):
                await self._lifecycle("close")
        except TimeoutError:
            log.warning("close did not end in time", seconds=_CLOSING)
        except ImplementationError as error:
            log.warning(str(error))

    async def _lifecycle(self, name: str) -> None:
        if name not in self._catalog.facts.lifecycle:
            return  # a tool has this name
        # Of the class: an instance that answers to every name has no lifecycle for that.
        if not hasattr(type(self._implementation), name):
            return
        function = getattr(self._implementation, name)
        try:
            if inspect.iscoroutinefunction(function):
                await function()
            else:
                result = await self._workers.run(function).future
                if inspect.isawaitable(result):
                    await result
        except (Exception, SystemExit) as error:
            log.failure(f"{name} failed", error)
            reason = f"{name} failed with {type(error).__name__}: {error}"
            raise ImplementationError(f"implementation: {reason}") from None

    async def _blocking(self, method: _Method, params: Any, call: Call) -> Any:
        """Wait until the thread is done, also when cancelled: it counts as running until then."""
        work = self._workers.run(method.function, params)
        try:
            return await work.future
        except asyncio.CancelledError:
            if not call.is_cancelled:
                raise
            return await work.ended()

    def _prepared(self, entry: ToolEntry) -> _Method:
        function = getattr(self._implementation, entry.method, None)
        if function is None:
            raise ToolError("backend_failed", f"{entry.name} is not implemented by the server.")
        module = importlib.import_module(f"{self._catalog.package}.models.{entry.module}")
        model = getattr(module, entry.params)
        attributes = {field.alias or name: name for name, field in model.model_fields.items()}
        prepared = _Method(function, model, inspect.iscoroutinefunction(function), attributes)
        self._methods[entry.name] = prepared
        return prepared


def _params(entry: ToolEntry, method: _Method, arguments: ValidArguments) -> Any:
    from pydantic import ValidationError

    try:
        params = method.model.model_validate(arguments.values, by_name=False, by_alias=True)
    except ValidationError as error:
        # The schema took it, so it is not the agent who is wrong.
        errors = error.errors(include_input=False, include_url=False, include_context=False)
        log.warning("the models refuse what the schema takes", tool=entry.name, errors=errors[:3])
        text = f"{entry.name} cannot take these arguments; its author must look into it."
        raise ToolError("backend_failed", text) from None
    # What was filled in counts as not set, as with a default of the model's own.
    for name in arguments.values.keys() - arguments.sent.keys():
        params.model_fields_set.discard(method.attributes.get(name, name))
    return params


def _failure(entry: ToolEntry, kind: str) -> ToolError:
    text = f"{entry.name} failed with {kind}; the server's log says why."
    return ToolError("backend_failed", text)
