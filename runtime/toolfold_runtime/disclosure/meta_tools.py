"""Calling meta-tools: known parameters validated, unknown ones answered with a warning."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import Exposure
from toolfold_runtime.errors import ToolError, too_large
from toolfold_runtime.jsontext import MOST_ANSWER_BYTES
from toolfold_runtime.running.arguments import whole_numbers
from toolfold_runtime.running.diagnosis.document import SchemaDocument
from toolfold_runtime.running.explain import (
    dotted,
    excerpt,
    explanations,
    suggestion,
    with_suggestion,
)
from toolfold_runtime.running.repair import repaired

_MAX_SHOWN: Final = 20


class MetaTools:
    """The meta-tools that answer with a text, by their served names."""

    def __init__(
        self, catalog: Catalog, handlers: Mapping[str, Callable[..., str]], exposure: Exposure
    ) -> None:
        self.handlers = dict(handlers)
        schema = catalog.facts.schema_tool
        if schema is not None and schema in handlers:
            # The next step depends on what is listed.
            self.handlers[schema] = partial(handlers[schema], exposure=exposure)
        self.definitions = {meta.name: meta for meta in catalog.facts.meta_tools}
        self._rejects_unknown = catalog.facts.unknown_parameters == "reject"
        self._documents: dict[str, SchemaDocument] = {}

    def answer(self, name: str, arguments: Json) -> list[str]:
        """The handler's text, and a warning for parameters that it does not have."""
        schema = self.definitions[name].input_schema
        properties, required = schema["properties"], schema.get("required", ())
        given = {key: whole_numbers(arguments[key]) for key in properties if key in arguments}
        known = {
            key: value
            for key, value in given.items()
            if key in required or not _says_nothing(value)
        }
        unknown = [key for key in arguments if key not in properties]
        document = self._document(name)
        if not document.accepts((), known):
            repair = repaired(document, known)
            if repair.faults:
                lines = [explanation.line for explanation in explanations(repair.faults)]
                raise self._refusal(name, lines[:_MAX_SHOWN])
            known = repair.arguments
        warnings = self.unknown_parameters(name, unknown)
        text = self.handlers[name](**known)
        if len(text) > MOST_ANSWER_BYTES:
            raise too_large(f"the answer of {name}", "Ask for less.")
        return [text, *warnings]

    def unknown_parameters(self, name: str, unknown: Sequence[str]) -> list[str]:
        """A warning that names unknown parameters; ToolError where the manifest rejects them."""
        if not unknown:
            return []
        known = self.definitions[name].input_schema["properties"]
        if self._rejects_unknown:
            lines = [
                with_suggestion(f"no parameter {excerpt(key)}", key, known)
                for key in unknown[:_MAX_SHOWN]
            ]
            raise self._refusal(name, lines)
        return [f"warning: ignored unknown parameters: {with_nearest(unknown, known)}"]

    def _refusal(self, name: str, problems: list[str]) -> ToolError:
        names = ", ".join(self.definitions[name].input_schema["properties"]) or "none"
        text = f"{name}: {'; '.join(problems)}"
        end = "" if text.endswith("?") else "."
        return ToolError("invalid_arguments", f"{text}{end} Parameters: {names}.")

    def _document(self, name: str) -> SchemaDocument:
        if name not in self._documents:
            self._documents[name] = SchemaDocument(self.definitions[name].input_schema)
        return self._documents[name]


def _says_nothing(value: object) -> bool:
    """Whether a value means "not given", as clients with strict schemas send for every parameter.

    Numbers of meta-tools count from one.
    """
    return value == "" or (type(value) is int and value == 0)


def with_nearest(unknown: Sequence[str], known: Collection[str]) -> str:
    """The first few unknown names, each with the most similar known one."""
    near = ((dotted((name,)), suggestion(name, known)) for name in unknown[:_MAX_SHOWN])
    return ", ".join(f"{name} ({text})" if text else name for name, text in near)
