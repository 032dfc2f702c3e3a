"""The Python backend: one method of the user's class per tool, sync or async."""

import asyncio
import contextlib
import importlib
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolfold_runtime import server_log
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import InputRequired, ToolError
from toolfold_runtime.running.arguments import ValidArguments, valid_call
from toolfold_runtime.running.backends.backend import Backend, NoBackend
from toolfold_runtime.running.backends.implementation import ImplementationError
from toolfold_runtime.running.call import Call, set_current
from toolfold_runtime.running.explain import dotted
from toolfold_runtime.running.threads import Threads, end_forked_copy

if TYPE_CHECKING:
    from pydantic import ValidationError

    from toolfold_runtime.models import Model

_CLOSING: Final = 10.0
_MAX_SHOWN: Final = 10
# Kinds of Pydantic's errors about values that JSON has and Python's types do not: leap seconds,
# half of a surrogate pair.
_PYTHON_LIMITS: Final = ("date_", "datetime_", "time_", "string_unicode")


def backend_of(
    catalog: Catalog, implementation: object | None, folder: Path | None = None
) -> Backend:
    """The backend of a catalog: the user's class, and other servers and APIs where tools name them.

    Relative paths of programs that are started for servers begin in `folder`.
    """
    methods = NoBackend() if implementation is None else Methods(catalog, implementation)
    if not catalog.facts.has_upstreams:
        return methods
    from toolfold_runtime.running.backends.http import HttpApis
    from toolfold_runtime.running.backends.mcp import Upstreams
    from toolfold_runtime.running.backends.several import SeveralBackends

    return SeveralBackends(methods, Upstreams(catalog, folder), HttpApis(catalog))


@dataclass(frozen=True)
class _Method:
    """A tool's method, found and prepared when the tool was first called."""

    function: Callable[..., Any]
    model: "type[Model]"
    is_async: bool


class Methods:
    """Runs tools with one instance of the user's class."""

    def __init__(self, catalog: Catalog, implementation: object) -> None:
        self._catalog = catalog
        self._implementation = implementation
        self._threads = Threads()
        self._methods: dict[str, _Method] = {}

    async def run(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> Any:
        """The value that the method returned; blocking methods run in a thread of their own."""
        method = self._methods.get(entry.name) or self._prepared(entry)
        if arguments.are_small:
            params = _params(entry, method, arguments)
        else:
            params = await self._threads.run(_params, entry, method, arguments)
        set_current(call)
        process = os.getpid()
        try:
            try:
                if method.is_async:
                    return await method.function(params)
                result = await self._threads.run(method.function, params)
                return await result if inspect.isawaitable(result) else result
            finally:
                end_forked_copy(process)
                call.require_input()  # however the method ended after it had asked
        except (ToolError, InputRequired):
            raise  # the author's own words to the agent, or a question to the user
        except GeneratorExit:
            if not _has_running_loop():
                raise  # this coroutine is closed: its loop is gone
            server_log.warning("the method raised GeneratorExit", tool=entry.name)
            raise _failure(entry, "GeneratorExit") from None
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
            # agent gets a message without internals. Its text is made in a thread: it may take long.
            await self._threads.run(_log_failure, entry, error)
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
            server_log.warning("close did not end in time", seconds=_CLOSING)
        except ImplementationError as error:
            server_log.warning(str(error))

    async def _lifecycle(self, name: str) -> None:
        if name not in self._catalog.facts.lifecycle:
            return  # a tool has this name
        # Of the class: an instance that answers to every name has no lifecycle for that.
        if not hasattr(type(self._implementation), name):
            return
        function = getattr(self._implementation, name)
        try:
            # stdout belongs to the protocol, also before and after it is spoken.
            with contextlib.redirect_stdout(sys.stderr):
                if inspect.iscoroutinefunction(function):
                    await function()
                else:
                    result = await self._threads.begin(function)
                    if inspect.isawaitable(result):
                        await result
        except (Exception, SystemExit) as error:
            server_log.failure(f"{name} failed", error)
            reason = f"{name} failed with {type(error).__name__}: {error}"
            raise ImplementationError(f"implementation: {reason}") from None

    def _prepared(self, entry: ToolEntry) -> _Method:
        function = getattr(self._implementation, entry.method, None)
        if function is None:
            raise ToolError("backend_failed", f"{entry.name} is not implemented by the server.")
        module = importlib.import_module(f"{self._catalog.package}.models.{entry.module}")
        model = getattr(module, entry.params)
        prepared = _Method(function, model, inspect.iscoroutinefunction(function))
        self._methods[entry.name] = prepared
        return prepared


def _params(entry: ToolEntry, method: _Method, arguments: ValidArguments) -> "Model":
    from pydantic import ValidationError

    try:
        params = method.model.model_validate(arguments.values, by_name=False, by_alias=True)
    except ValidationError as error:
        raise _refusal(entry, error) from None
    if arguments.values is not arguments.sent:
        _unset_defaults(params, arguments.sent)
    return params


def _unset_defaults(params: Any, sent: object) -> None:
    """Mark filled-in defaults as not set in the model, at every depth."""
    if isinstance(params, list | tuple) and isinstance(sent, list):
        for item, sent_item in zip(params, sent, strict=False):
            _unset_defaults(item, sent_item)
    elif isinstance(params, dict) and isinstance(sent, dict):
        for key, sent_item in sent.items():
            _unset_defaults(params.get(key), sent_item)
    elif isinstance(sent, dict) and hasattr(params, "model_fields_set"):
        for attribute, field in type(params).model_fields.items():
            prop = field.alias or attribute
            if prop in sent:
                _unset_defaults(getattr(params, attribute), sent[prop])
            else:
                params.model_fields_set.discard(attribute)


def _refusal(entry: ToolEntry, error: "ValidationError") -> ToolError:
    """The ToolError for values that the schema accepts and Python's types lack, such as leap seconds."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    if all(problem["type"].startswith(_PYTHON_LIMITS) for problem in errors):
        lines = [
            f"- {dotted(e['loc'])}: the server has no such value: {e['msg']}"
            for e in errors[:_MAX_SHOWN]
        ]
        call = valid_call(entry)
        lines += [f"valid call: {call}"] if call else []
        text = f"invalid arguments for {entry.name}:\n" + "\n".join(lines)
        return ToolError("invalid_arguments", text)
    # The schema took it, so it is not the agent who is wrong.
    kinds = [{key: problem[key] for key in ("loc", "type", "msg")} for problem in errors[:3]]
    server_log.warning("the models refuse what the schema takes", tool=entry.name, errors=kinds)
    text = f"{entry.name} cannot take these arguments; its author must look into it."
    return ToolError("backend_failed", text)


def _has_running_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _failure(entry: ToolEntry, kind: str) -> ToolError:
    text = f"{entry.name} failed with {kind}; the server's log says why."
    return ToolError("backend_failed", text)


def _log_failure(entry: ToolEntry, error: BaseException) -> None:
    server_log.failure("the method failed", error, tool=entry.name, **_hint(error))


def _hint(error: BaseException) -> dict[str, str]:
    """The way out of a mistake that authors often make, for the log."""
    from pydantic import ValidationError

    from toolfold_runtime.running.wrong_results import NAIVE_DATETIME_HINT

    if not isinstance(error, ValidationError) or error.error_count() > _MAX_SHOWN:
        return {}
    if not any(problem["type"] == "timezone_aware" for problem in error.errors()):
        return {}
    return {"hint": NAIVE_DATETIME_HINT}
