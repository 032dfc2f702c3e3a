"""Results of tools: measured, converted to JSON and to blocks of content, validated."""

from base64 import b64encode
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolfold_runtime import server_log
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ContentError, ToolError
from toolfold_runtime.jsontext import MOST_ANSWER_BYTES, compact
from toolfold_runtime.running.measure import (
    MOST_BLOCKS,
    MOST_VALUES,
    TooLargeError,
    refuse_large,
)
from toolfold_runtime.running.validators import SchemaValidators, is_slow

if TYPE_CHECKING:
    from toolfold_runtime.running.blocks import Block

_MAX_REASON: Final = 1_000
_MEMORY_FACTOR: Final = 4


class NotedResult(NamedTuple):
    """A result from a backend, with notes about it."""

    returned: object
    notes: tuple[str, ...] = ()
    #: Whether it was just made of JSON, and so little of it that work on it takes microseconds.
    is_small_json: bool = False


@dataclass(frozen=True)
class Result:
    """The result of a tool: plain JSON and its text, and blocks of content. Never changed."""

    value: Any
    #: None where there is no value, but content alone.
    text: str | None
    #: Of the text, in bytes.
    size: int
    blocks: "tuple[Block, ...]" = ()
    #: Whether another server says in it that the tool failed.
    is_error: bool = False
    #: Notes from the backend.
    notes: tuple[str, ...] = ()

    @property
    def sent_size(self) -> int:
        """Bytes of the text and of the blocks."""
        return self.size + sum(block.size for block in self.blocks)

    @property
    def shown(self) -> str:
        """The text, and a line for each block."""
        if not self.blocks:
            return self.text or ""
        from toolfold_runtime.running.blocks import described

        texts = [] if self.text is None else [self.text]
        return "\n".join([*texts, *(described(block.sent) for block in self.blocks)])

    @property
    def memory(self) -> int:
        """Bytes that it takes in memory, roughly."""
        return memory_of(self.size, self.blocks)


def memory_of(size: int, blocks: "tuple[Block, ...]") -> int:
    """The approximate memory of a value with so many bytes of JSON, and blocks of content.

    Objects are larger than the JSON they came from; blocks are stored as they are sent.
    """
    return _MEMORY_FACTOR * size + sum(block.size for block in blocks)


def result_of_json(entry: ToolEntry, value: Any) -> Result:
    """The result for a value parsed from JSON, of a tool without an output schema."""
    return _written(entry, value, ())


def validated(
    validators: SchemaValidators, entry: ToolEntry, returned: object, *, is_measured: bool = False
) -> Result:
    """The result, if it can be sent and keeps the tool's promise; else a ToolError.

    `is_measured` says that it is plain data, and little of it.

    None in a property that its schema lets be absent but not null is left out. What is wrong with
    a result is for the tool's author, in the log; the agent learns that it is wrong.
    """
    try:
        result = _plain(entry, returned, is_measured=is_measured)
    except TooLargeError:
        hint = "if it is not meant to be that large, it may hold itself"
        server_log.warning("the result is too large to send", tool=entry.name, hint=hint)
        most = f"{MOST_ANSWER_BYTES:,} bytes, {MOST_VALUES:,} values or {MOST_BLOCKS:,} blocks"
        text = f"the result of {entry.name} has more than {most}, which is more than can be sent."
        raise ToolError("budget_exceeded", f"{text} Ask for less.") from None
    except ContentError as error:
        where = {"at": error.at} if error.at else {}
        problem = error.problem[:_MAX_REASON]
        server_log.warning("the result cannot be sent", tool=entry.name, **where, problem=problem)
        text = f"{entry.name} returned a result that cannot be sent; its author must fix it."
        raise ToolError("invalid_result", text) from None
    if entry.definition.output_schema is None:
        return result
    promised = structured(entry, result.value)
    try:
        if validators.of_result(entry).is_valid(promised, result.size):
            return result
        return _without_refused_nulls(validators, entry, promised, result)
    except TimeoutError:
        text = f"the result of {entry.name} could not be validated in time; ask for less."
        raise ToolError("timeout", text) from None


def structured(entry: ToolEntry, value: Any) -> Any:
    """A value as the output schema has it: wrapped where the schema's root is no object."""
    return {"result": value} if entry.wraps_result else value


def _plain(entry: ToolEntry, returned: object, *, is_measured: bool) -> Result:
    try:
        if is_measured:
            return _result(entry, returned)  # plain data, and so no content
        from toolfold_runtime.running.result_parts import parts_of

        parts = parts_of(entry, returned)
        if not parts.has_value:
            return Result(None, None, 0, parts.blocks)
        refuse_large(parts.value)
        return _result(entry, parts.value, parts.blocks)
    except (TooLargeError, ContentError):
        raise
    except BaseException as error:
        # Whatever an author's object does while it is turned into JSON, it is no JSON. Of any
        # kind: SystemExit would end the server.
        server_log.warning("the result is not JSON", tool=entry.name, error=_reason(error))
        raise ToolError("invalid_result", f"{entry.name} returned what is not JSON.") from None


def _result(entry: ToolEntry, returned: object, blocks: "tuple[Block, ...]" = ()) -> Result:
    from toolfold_runtime.models import result_json

    value = result_json(_with_base64(returned) if entry.has_base64_result else returned)
    return _written(entry, value, blocks)


def _written(entry: ToolEntry, value: Any, blocks: "tuple[Block, ...]") -> Result:
    is_text = isinstance(value, str) and entry.definition.output_schema is None
    text = value if is_text else compact(value)
    result = Result(value, text, len(text.encode()), blocks)
    if result.sent_size > MOST_ANSWER_BYTES:
        raise TooLargeError
    return result


def _with_base64(value: Any) -> Any:
    """A copy with bytes as standard base64; models write their own."""
    if isinstance(value, bytes | bytearray | memoryview):
        return b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {key: _with_base64(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_with_base64(inner) for inner in value]
    if is_dataclass(value) and not hasattr(value, "__pydantic_serializer__"):
        return {field.name: _with_base64(getattr(value, field.name)) for field in fields(value)}
    return value


def _reason(error: BaseException) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"{error}; bytes are sent as base64 where `returns` says `contentEncoding: base64`"
    return f"{type(error).__name__}: {error}"[:_MAX_REASON]


def _without_refused_nulls(
    validators: SchemaValidators, entry: ToolEntry, promised: Any, result: Result
) -> Result:
    """A refused result without its nulls, if the schema then accepts it; else ToolError."""
    from toolfold_runtime.running.diagnosis.document import SchemaDocument
    from toolfold_runtime.running.diagnosis.walk import faults_of
    from toolfold_runtime.running.repair import without_nulls
    from toolfold_runtime.running.wrong_results import log_fields

    schema = entry.definition.output_schema or {}
    document = SchemaDocument(schema, asserts_formats=entry.asserts_output_formats)
    faults = [] if is_slow(entry.output_checks) else faults_of(document, promised)
    changed, remaining = without_nulls(document, promised, faults, only_declared=False)
    if validators.of_result(entry).is_valid(changed, result.size):
        value = changed["result"] if entry.wraps_result else changed
        return _written(entry, value, result.blocks)
    problem = log_fields(remaining, is_wrapped=entry.wraps_result)
    server_log.warning("the result breaks `returns`", tool=entry.name, **problem)
    text = f"{entry.name} returned a result that breaks its own schema; its author must fix it."
    raise ToolError("invalid_result", text)
