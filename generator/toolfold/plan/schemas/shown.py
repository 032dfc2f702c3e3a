"""The schemas of HTTP operations as agents see them: within budgets, unlike those that validate."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.shown.schema import shown_schema
from toolfold_runtime.shown.types import shown_types

from toolfold.manifest.schema import Tool

#: Characters of JSON, of which a token has about four.
ARGUMENTS_BUDGET: Final = 3_600
ANSWER_BUDGET: Final = 1_500


class ShownOperation(NamedTuple):
    """The arguments of an operation and its answer, as agents are shown them."""

    arguments: Json
    #: The paths of arguments whose inside is left out.
    cut: tuple[str, ...]
    #: The type of what comes back, in a few words; empty where the document does not say.
    answer: str
    #: The same as a schema that leaves no property out, for programs; None where that is too large.
    answer_schema: Json | None


def shown_operation(tool: Tool, definitions: Mapping[str, Json]) -> ShownOperation | None:
    """The shown schemas of an operation; None for any other tool, whose schemas are shown whole."""
    if not tool.is_operation:
        return None
    shown = shown_schema(tool.input_schema or {}, definitions.get, ARGUMENTS_BUDGET)
    arguments = {**shown.schema, "type": "object"}
    arguments.setdefault("properties", {})
    schema = tool.answer_schema
    answer = "" if schema is None else shown_types(schema, definitions.get, ANSWER_BUDGET)
    return ShownOperation(arguments, shown.cut, answer, _answer_schema(tool, definitions))


def _answer_schema(tool: Tool, definitions: Mapping[str, Json]) -> Json | None:
    if tool.answer_schema is None:
        return None
    shown = shown_schema(tool.answer_schema, definitions.get, ARGUMENTS_BUDGET)
    return shown.schema if shown.has_all_properties else None
