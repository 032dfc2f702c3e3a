"""Comparing answers of APIs with their schemas: a difference adds a note to the answer.

Documents are often wrong, and an answer that breaks one is still what an agent asked for.
"""

from typing import Any, Final, NamedTuple

from toolfold_runtime import server_log
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.running.diagnosis.document import SchemaDocument
from toolfold_runtime.running.diagnosis.walk import faults_of
from toolfold_runtime.running.explain import explanations
from toolfold_runtime.running.measure import number_of_values
from toolfold_runtime.running.validators import MOST_CHECKS
from toolfold_runtime.validation import ValidationError, Validator, validator_for

_MOST_SCHEMAS: Final = 64
_LONGEST_NOTE: Final = 300


class _AnswerSchema(NamedTuple):
    document: SchemaDocument
    validator: Validator


class AnswerSchemas:
    """The schemas of answers that were lately needed, and what differs from them."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        #: None for a schema that cannot be used.
        self._known: dict[str, _AnswerSchema | None] = {}

    def has_read(self, entry: ToolEntry) -> bool:
        """Whether the schema is in memory, or there is none to compare with."""
        has_schema = entry.http is not None and entry.http.has_answer_schema
        return not has_schema or entry.name in self._known

    def difference(self, entry: ToolEntry, value: Any, size: int) -> str:
        """The note about what differs; empty where nothing does, or comparing would take too long.

        `size` is that of the value's JSON, in which each value takes two bytes at least.
        """
        if entry.http is None or not entry.http.has_answer_schema:
            return ""
        schema = self._schema(entry.name)
        checks = max(entry.http.answer_checks, 1)
        if schema is None:
            return ""
        if checks * size // 2 > MOST_CHECKS and checks * number_of_values(value) > MOST_CHECKS:
            return ""
        if schema.validator.is_valid(value):
            return ""
        explained = explanations(faults_of(schema.document, value)[:1])
        where = explained[0].line if explained else "its schema refuses it"
        return f"note: the answer differs from the API's document: {where}"[:_LONGEST_NOTE]

    def _schema(self, tool: str) -> _AnswerSchema | None:
        known = self._known
        if tool in known:
            return known[tool]
        if len(known) >= _MOST_SCHEMAS:
            # A new one: other threads may be reading this one.
            known = self._known = {}
        compared = known[tool] = self._comparison(tool, self._catalog.answer_schema(tool))
        return compared

    def _comparison(self, tool: str, schema: Json) -> _AnswerSchema | None:
        try:
            return _AnswerSchema(SchemaDocument(schema), validator_for(schema))
        except (ValidationError, ValueError) as error:
            reason = str(error).split("\n")[0]
            server_log.warning("the schema of an answer cannot be used", tool=tool, reason=reason)
            return None
