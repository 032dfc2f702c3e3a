"""Calling meta-tools: known parameters validated, unknown ones answered with a warning."""

from collections.abc import Callable, Mapping

from toolfold_runtime.catalog.catalog import Catalog, Json
from toolfold_runtime.errors import ToolError
from toolfold_runtime.validation import Validator, explained, validator_for


class MetaTools:
    """The meta-tools that answer with a text, by their served names."""

    def __init__(self, catalog: Catalog, handlers: Mapping[str, Callable[..., str]]) -> None:
        self.handlers = handlers
        self.definitions: dict[str, Json] = {d["name"]: d for d in catalog.server["meta_tools"]}
        self._refuses = catalog.server["unknown_parameters"] == "reject"
        self._validators: dict[str, Validator] = {}

    def answer(self, name: str, arguments: Json) -> list[str]:
        """The handler's text, and a warning for parameters that it does not have."""
        schema = self.definitions[name]["inputSchema"]
        known = {key: value for key, value in arguments.items() if key in schema["properties"]}
        extra = [key for key in arguments if key not in known]
        errors = [explained(error) for error in self._validator(name).iter_errors(known)]
        if errors:
            raise self._refusal(name, errors)
        warnings = self.warned(name, extra)
        return [self.handlers[name](**known), *warnings]

    def warned(self, name: str, extra: list[str]) -> list[str]:
        """A warning that names unknown parameters, or a refusal where the manifest says so."""
        if extra and self._refuses:
            raise self._refusal(name, [f'no parameter "{key}"' for key in extra])
        return [f"warning: ignored unknown parameters: {', '.join(extra)}"] if extra else []

    def _refusal(self, name: str, problems: list[str]) -> ToolError:
        names = ", ".join(self.definitions[name]["inputSchema"]["properties"]) or "none"
        text = f"{name}: {'; '.join(problems)}. Parameters: {names}."
        return ToolError("invalid_arguments", text)

    def _validator(self, name: str) -> Validator:
        if name not in self._validators:
            self._validators[name] = validator_for(self.definitions[name]["inputSchema"])
        return self._validators[name]
