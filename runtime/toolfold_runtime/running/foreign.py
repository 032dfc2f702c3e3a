"""The answer of another server: passed on as it came, within our limits.

Its blocks may be of kinds that nobody knows yet, and it may break the schema that it publishes.
"""

import json
from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import MOST_ANSWER_BYTES, compact
from toolfold_runtime.running.blocks import Block, BlockKind
from toolfold_runtime.running.caller import Caller
from toolfold_runtime.running.measure import MOST_BLOCKS, is_small
from toolfold_runtime.running.media import audio_tokens, image_tokens
from toolfold_runtime.running.results import Result
from toolfold_runtime.running.shape import Answer, Shaper
from toolfold_runtime.running.tokens import estimated
from toolfold_runtime.running.validators import SchemaValidators, is_slow

_KINDS: Final[dict[str, BlockKind]] = {
    "text": "text",
    "image": "image",
    "audio": "audio",
    "resource": "file",
    "resource_link": "link",
}
#: The required fields of blocks by kind; without them clients refuse the whole answer.
_REQUIRED: Final = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}
#: The key of `_meta` under which a server says what it is; our own answers have it too.
_SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"
_LONGEST_TEXT: Final = 10_000
_FEW_BLOCKS: Final = 50
_QUICK_TEXT: Final = 500_000
#: Characters of base64 that hold every header of a picture that tells its size.
_HEADER: Final = 80_000


class ForeignAnswer(NamedTuple):
    """The result of another server in the protocol's form, as a backend returns it."""

    sent: Json

    @property
    def is_quick(self) -> bool:
        """Whether work on it takes microseconds: texts are only measured, and sent as they came."""
        content = self.sent.get("content", ())
        if not isinstance(content, list) or len(content) > _FEW_BLOCKS:
            return False
        size = sum(len(block.get("text", "")) for block in content if _is_text(block))
        others = [block for block in content if not _is_text(block)]
        return size <= _QUICK_TEXT and is_small([others, self.sent.get("structuredContent")])


@dataclass(frozen=True)
class ForeignResult(Result):
    """The result of another server: `value` is its structured content, `blocks` its content."""

    meta: Json | None = None
    #: How it violates the tool's output schema; empty if it does not.
    fault: str = ""

    @property
    def tokens(self) -> int:
        """Its tokens: clients show a model the content or the structured content."""
        return max(sum(block.tokens for block in self.blocks), estimated(self.text or ""))

    def fits(self, budget: int | None) -> bool:
        """Whether it may be passed on as it came."""
        return budget is None or self.tokens <= budget


def foreign_result(
    validators: SchemaValidators, entry: ToolEntry, answer: ForeignAnswer
) -> ForeignResult:
    """The parsed result; ToolError if it is invalid, or too large to be sent."""
    content = answer.sent.get("content", [])
    _require_blocks(entry, content)
    value = answer.sent.get("structuredContent")
    try:
        text = None if value is None else compact(value)
    except ValueError:
        raise ToolError("invalid_result", f"{entry.name} returned what is not JSON.") from None
    is_error = answer.sent.get("isError") is True
    blocks = tuple(map(_block, content[: MOST_BLOCKS + 1]))
    size = 0 if text is None else len(text.encode())
    meta = _meta(answer.sent.get("_meta"))
    result = ForeignResult(value, text, size, blocks, is_error, meta=meta)
    if len(blocks) > MOST_BLOCKS or result.sent_size > MOST_ANSWER_BYTES:
        most = f"{MOST_ANSWER_BYTES:,} bytes or {MOST_BLOCKS:,} blocks"
        raise ToolError("budget_exceeded", f"the result of {entry.name} has more than {most}.")
    if is_error or entry.definition.output_schema is None:
        return result
    return replace(result, fault=_fault(validators, entry, result))


def passed_on(
    shaper: Shaper,
    entry: ToolEntry,
    result: ForeignResult,
    caller: Caller,
    fields: tuple[str, ...],
    *,
    is_direct: bool,
) -> Answer:
    """The answer to the agent: unchanged within the tool's budget, else truncated like our own.

    A client refuses a direct call's answer that breaks the schema, so that is an error; through a
    runner it is passed on with a note.
    """
    if result.fault and is_direct:
        fact = f"{entry.name} returned a result that breaks its own schema: {result.fault}"
        raise ToolError("invalid_result", f"{fact}\nIt said: {_words(result)}")
    if fields:
        answer = shaper.text(entry, _as_ours(result, fields), caller, fields)
    elif result.fits(shaper.budget_of(entry)):
        answer = Answer(None, _structured(entry, result), (), result.blocks)
    elif is_direct and result.value is not None and not result.is_error:
        answer = shaper.typed(entry, _as_ours(result), caller)
    else:
        answer = shaper.text(entry, _as_ours(result), caller)
    fault = f"warning: the result breaks the tool's own schema: {result.fault}"
    notes = (*answer.notes, *([fault] if result.fault else []))
    return replace(answer, notes=notes, meta=result.meta, is_error=result.is_error, is_foreign=True)


def _structured(entry: ToolEntry, result: ForeignResult) -> Json | None:
    """Structured content as an object, which every version of the protocol can send."""
    if result.value is None:
        return None
    is_object = isinstance(result.value, dict) and not entry.wraps_result
    return result.value if is_object else {"result": result.value}


def _fault(validators: SchemaValidators, entry: ToolEntry, result: ForeignResult) -> str:
    if result.value is None:
        return "it has no structured content"
    promised = _structured(entry, result)
    try:
        if validators.of_result(entry).is_valid(promised, result.size):
            return ""
    except TimeoutError:
        return "it could not be validated in time"
    if is_slow(entry.output_checks):
        return "the schema is too large to say where"
    from toolfold_runtime.running.diagnosis.document import SchemaDocument
    from toolfold_runtime.running.diagnosis.walk import faults_of
    from toolfold_runtime.running.explain import explanations

    schema = entry.definition.output_schema or {}
    document = SchemaDocument(schema, asserts_formats=entry.asserts_output_formats)
    explained = explanations(faults_of(document, promised)[:1])
    return explained[0].line if explained else "the schema refuses it"


def _as_ours(result: ForeignResult, fields: tuple[str, ...] = ()) -> Result:
    """The result as one of our own tools', without the blocks that only repeat its value."""
    value = result.value
    blocks = result.blocks
    if value is None and fields and len(blocks) == 1:
        value = parsed_block(blocks[0])  # many servers send JSON as text
    if value is None:
        return Result(None, None, 0, blocks)
    text = compact(value)
    other = tuple(block for block in blocks if parsed_block(block) != value)
    return Result(value, text, len(text.encode()), other)


def parsed_block(block: Block) -> Any:
    """The object or list that a text is the JSON of; None for anything else."""
    text = block.sent.get("text")
    if block.kind != "text" or not isinstance(text, str) or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_text(item: object) -> bool:
    return _is_block(item) and isinstance(item, dict) and isinstance(item.get("text"), str)


def _is_block(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("type"), str)


def _require_blocks(entry: ToolEntry, content: object) -> None:
    """ToolError where clients would refuse the content, or something in it."""
    if not isinstance(content, list) or not all(map(_is_block, content)):
        raise ToolError("invalid_result", f"the server of {entry.name} sent no content.")
    for block in content:
        if missing := _missing(block):
            fact = f"the server of {entry.name} sent a block of kind {block['type']}"
            raise ToolError("invalid_result", f"{fact} without {missing}: no client can read it.")


def _missing(block: Json) -> str:
    """The missing field of a block of a known kind; empty if the block is complete."""
    for key in _REQUIRED.get(block["type"], ()):
        if not isinstance(block.get(key), str):
            return key
    if block["type"] != "resource":
        return ""
    resource = block.get("resource")
    if not isinstance(resource, dict) or not isinstance(resource.get("uri"), str):
        return "resource.uri"
    has_content = any(isinstance(resource.get(key), str) for key in ("text", "blob"))
    return "" if has_content else "resource.text or resource.blob"


def _block(sent: Json) -> Block:
    """A block as it came, with what it costs; one of an unknown kind costs what its JSON does."""
    kind, text = _KINDS.get(sent["type"], "other"), sent.get("text")
    if kind == "text" and isinstance(text, str):
        return Block(kind, sent, len(text.encode("utf-8", "replace")), estimated(text))
    data = sent.get("data")
    if kind in ("image", "audio") and isinstance(data, str):
        return Block(kind, sent, len(data), _media_tokens(kind, data))
    written = json.dumps(sent, ensure_ascii=False)
    blob = sent["resource"].get("blob") if isinstance(sent.get("resource"), dict) else None
    unseen = len(blob) if isinstance(blob, str) else 0
    return Block(kind, sent, len(written), estimated(written[: len(written) - unseen]))


def _media_tokens(kind: BlockKind, data: str) -> int:
    try:
        header = b64decode(data[:_HEADER])
    except (Base64Error, ValueError):
        return estimated(data)
    if kind == "image":
        return image_tokens(header)
    return audio_tokens(header) * max(1, len(data) // _HEADER)


def _meta(given: object) -> Json | None:
    if not isinstance(given, dict):
        return None
    return {key: value for key, value in given.items() if key != _SERVER_INFO} or None


def _words(result: ForeignResult) -> str:
    texts = [str(block.sent.get("text")) for block in result.blocks if block.kind == "text"]
    return ("\n".join(texts) or result.text or "nothing")[:_LONGEST_TEXT]
