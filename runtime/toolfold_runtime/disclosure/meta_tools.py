"""Calling meta-tools: known parameters validated, unknown ones answered with a warning."""

from collections.abc import Callable, Mapping, Sequence

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.errors import ToolError
from toolfold_runtime.validation import Validator, explained, validator_for


class MetaTools:
    """The meta-tools that answer with a text, by their served names."""

    def __init__(self, catalog: Catalog, handlers: Mapping[str, Callable[..., str]]) -> None:
        self.handlers = handlers
        self.definitions = {meta.name: meta for meta in catalog.facts.meta_tools}
        self._rejects_unknown = catalog.facts.unknown_parameters == "reject"
        self._validators: dict[str, Validator] = {}

    def answer(self, name: str, arguments: Json) -> list[str]:
        """The handler's text, and a warning for parameters that it does not have."""
        properties = self.definitions[name].input_schema["properties"]
        known = {key: value for key, value in arguments.items() if key in properties}
        unknown = [key for key in arguments if key not in known]
        errors = [explained(error) for error in self._validator(name).iter_errors(known)]
        if errors:
            raise self._refusal(name, errors)
        warnings = self.unknown_parameters(name, unknown)
        return [self.handlers[name](**known), *warnings]

    def unknown_parameters(self, name: str, unknown: Sequence[str]) -> list[str]:
        """A warning that names unknown parameters; ToolError where the manifest rejects them."""
        if unknown and self._rejects_unknown:
            raise self._refusal(name, [f'no parameter "{key}"' for key in unknown])
        return [f"warning: ignored unknown parameters: {', '.join(unknown)}"] if unknown else []

    def _refusal(self, name: str, problems: list[str]) -> ToolError:
        names = ", ".join(self.definitions[name].input_schema["properties"]) or "none"
        text = f"{name}: {'; '.join(problems)}. Parameters: {names}."
        return ToolError("invalid_arguments", text)

    def _validator(self, name: str) -> Validator:
        if name not in self._validators:
            self._validators[name] = validator_for(self.definitions[name].input_schema)
        return self._validators[name]
