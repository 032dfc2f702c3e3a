"""The call itself: validate arguments, call the user's method, validate and shape the result."""

import copy
import importlib
import inspect
import json
import sys
import traceback
from dataclasses import dataclass
from typing import Any

from toolfold_runtime.catalog import Catalog, Entry, Json
from toolfold_runtime.errors import Code, ToolError
from toolfold_runtime.validation import ValidationError, Validator, explained, validator_for


@dataclass(frozen=True)
class Answer:
    """A result as clients get it: text, and the structured content that an output schema promises."""

    text: str
    structured: Json | None = None


class Executor:
    """Carries out calls with one instance of the user's class."""

    def __init__(self, catalog: Catalog, implementation: object | None) -> None:
        self.catalog = catalog
        self.implementation = implementation
        self._validators: dict[tuple[str, str], Validator] = {}

    async def call(self, entry: Entry, arguments: Json) -> Answer:
        """Run one tool; every failure is a ToolError that tells the agent what to do."""
        method = self._method(entry)
        params = self._params(entry, arguments)
        result = await _called(entry, method, params)
        return self._answer(entry, result)

    def _method(self, entry: Entry) -> Any:
        if self.implementation is None:
            text = f"{entry.name} has no implementation here: the server only describes it."
            raise ToolError("backend_failed", text)
        method = getattr(self.implementation, entry.method, None)
        if method is None:
            raise ToolError("backend_failed", f"{entry.name} is not implemented by the server.")
        return method

    def _params(self, entry: Entry, arguments: Json) -> Any:
        self._validate(entry, arguments)
        arguments = self._with_defaults(entry, _whole_numbers(arguments))
        module = importlib.import_module(f"{self.catalog.package}.models.{entry.module}")
        model = getattr(module, entry.params)
        try:
            return model.model_validate(arguments, by_name=False, by_alias=True)
        except ValueError as error:
            # The schema took it, so it is not the agent who is wrong.
            _log(f"the models of {entry.name} refuse what its schema takes: {error}")
            text = f"{entry.name} cannot take these arguments; its author must look into it."
            raise ToolError("backend_failed", text) from None

    def _with_defaults(self, entry: Entry, arguments: Json) -> Json:
        """The arguments and the defaults of those that are absent, where the result is valid."""
        properties = entry.definition["inputSchema"].get("properties", {})
        defaults = {
            name: schema["default"]
            for name, schema in properties.items()
            # Plain values stand in the models themselves.
            if name not in arguments
            and isinstance(schema, dict)
            and isinstance(schema.get("default"), dict | list)
        }
        if not defaults:
            return arguments
        filled = {**copy.deepcopy(defaults), **arguments}
        return filled if self._validator(entry, "inputSchema").is_valid(filled) else arguments

    def _answer(self, entry: Entry, result: Any) -> Answer:
        from pydantic_core import to_jsonable_python

        try:
            plain = to_jsonable_python(result, by_alias=True, inf_nan_mode="constants")
            text = _compact(plain)
        except ValueError as error:
            _log(f"{entry.name} returned what is not JSON: {error}")
            raise ToolError("invalid_result", f"{entry.name} returned what is not JSON.") from None
        schema = entry.definition.get("outputSchema")
        if schema is None:
            return Answer(plain if isinstance(plain, str) else text)
        structured = {"result": plain} if entry.wraps_result else plain
        broken = next(iter(self._validator(entry, "outputSchema").iter_errors(structured)), None)
        if broken is not None:
            _log(f"{entry.name} broke its `returns`: {broken.message} at {broken.instance_path}")
            said = f"{entry.name} returned a result that breaks its own schema; its author must fix it."
            raise ToolError("invalid_result", said)
        return Answer(text, structured)

    def _validate(self, entry: Entry, arguments: Json) -> None:
        errors = list(self._validator(entry, "inputSchema").iter_errors(arguments))
        if not errors:
            return
        lines = [f"- {_where(error)}{explained(error)}" for error in errors[:10]]
        text = f"invalid arguments for {entry.name}:\n" + "\n".join(lines)
        text += f"\nsignature: {entry.signature}"
        if entry.example is not None:
            text += f"\nvalid call: {entry.name}({_compact(entry.example)})"
        raise ToolError("invalid_arguments", text)

    def _validator(self, entry: Entry, key: str) -> Validator:
        """The validator of a tool's schema, made once."""
        known = (entry.name, key)
        if known not in self._validators:
            try:
                self._validators[known] = validator_for(entry.definition[key])
            except (ValidationError, ValueError) as error:
                said = str(error).split("\n")[0]
                text = f"the schema of {entry.name} cannot be used; its author must fix it: {said}"
                code: Code = "invalid_arguments" if key == "inputSchema" else "invalid_result"
                raise ToolError(code, text) from None
        return self._validators[known]


def _where(error: ValidationError) -> str:
    path = ".".join(str(step) for step in error.instance_path)
    return f"{path}: " if path else ""


async def _called(entry: Entry, method: Any, params: Any) -> Any:
    import anyio.to_thread

    try:
        if inspect.iscoroutinefunction(method):
            return await method(params)
        result = await anyio.to_thread.run_sync(method, params)
        return await result if inspect.isawaitable(result) else result
    except ToolError:
        raise  # the author's own words to the agent
    except TimeoutError:
        text = f"{entry.name} did not answer in time; try again, or ask for less."
        raise ToolError("timeout", text) from None
    except NotImplementedError:
        text = f"{entry.name} is not implemented by the server."
        raise ToolError("backend_failed", text) from None
    except (Exception, SystemExit) as error:
        # The traceback is for the author; an agent gets a message without internals.
        traceback.print_exception(error, file=sys.stderr)
        text = f"{entry.name} failed with {type(error).__name__}; the server's log says why."
        raise ToolError("backend_failed", text) from None


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _whole_numbers(value: Any) -> Any:
    """1.0 is an integer to JSON Schema; to Python it becomes one here."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole_numbers(inner) for key, inner in value.items()}
    return [_whole_numbers(inner) for inner in value] if isinstance(value, list) else value


def _log(message: str) -> None:
    print(message, file=sys.stderr)  # noqa: T201 - stderr is the log of a stdio server
