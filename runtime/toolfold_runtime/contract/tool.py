"""A tool in the catalog: one line of `categories/<category>.jsonl`."""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.http import HttpOperation
from toolfold_runtime.contract.upstream import UpstreamTool
from toolfold_runtime.contract.vocabulary import Confirmation, ContentKind, Effect

#: The number of checks of one value below which no count is stored.
FEW_CHECKS: Final = 20
_LEAST_SHARE: Final = 200
#: Tokens that an answer with schemas keeps for a note about what it left out.
NOTE_TOKENS: Final = 100


def share_of(details: int) -> int:
    """The most tokens of a view before it is shortened: a tenth of an answer."""
    return max(_LEAST_SHARE, (details - NOTE_TOKENS) // 10 - 2)


class CallLimits(NamedTuple):
    """The manifest's limits of the calls of one tool; None where it sets none."""

    timeout: float | None = None
    concurrency: int | None = None
    coerce_strings: bool | None = None
    #: Tokens of the largest result.
    budget: int | None = None
    #: Seconds for which a result may be given again.
    cache_ttl: float | None = None
    #: Whether a result is the same for every caller.
    is_cache_shared: bool = False


class ViewDefinition(NamedTuple):
    """A definition that the schemas of a tool refer to, as its views show it."""

    name: str
    #: Its schema, as JSON.
    text: str
    #: Equal for definitions that mean the same, by all that they refer to as well.
    digest: str
    #: Where references look for it.
    keyword: str = "$defs"
    #: Its tokens; only stored for tools that have a shortened view.
    tokens: int = 0


class ToolViews(NamedTuple):
    """The ready texts about one tool, as JSON or as lines; `more` is what the full view adds.

    Definitions and the next step are kept apart: an answer about several tools shows each
    definition once, and the next step depends on what is listed.
    """

    summary: str
    schema: str
    more: str
    definitions: tuple[ViewDefinition, ...] = ()
    #: The schema in few tokens, without definitions; empty where the whole costs no more.
    short: str = ""

    def text(self, detail: str, definitions: Sequence[ViewDefinition], following: str) -> str:
        """The view of a detail with some of the definitions and the next step, if there is one."""
        if detail == "summary":
            return self.summary
        more = self.more if detail == "full" else ""
        schema = self.short if detail == "short" else self.schema
        groups = groupby(definitions, lambda definition: definition.keyword)
        if not schema.startswith("{"):
            lines = [schema]
            for keyword, group in groups:
                lines += [
                    f"{keyword}:",
                    *(f"  {definition.name}: {definition.text}" for definition in group),
                ]
            lines += [f"next: {following}"] if following else []
            return "\n".join([*lines, more] if more else lines)
        members = [schema[1:-1]]
        for keyword, group in groups:
            named = ",".join(
                f"{json.dumps(definition.name)}:{definition.text}" for definition in group
            )
            members.append(f'"{keyword}":{{{named}}}')
        members += [f'"next":{json.dumps(following)}'] if following else []
        members += [more[1:-1]] if more not in ("", "{}") else []
        return f"{{{','.join(members)}}}"


class ToolEntry(NamedTuple):
    """The data of a tool that the runtime needs to show and call it. `name` comes first."""

    name: str
    category: str
    effect: Effect
    #: Where its models are, below the package's `models`, and the class of its parameters.
    module: str
    params: str
    #: The method of the implementation that carries it out.
    method: str
    signature: str
    definition: Definition
    views: ToolViews
    #: The size of the definition as it is listed.
    listed_bytes: int
    #: Whether a result is sent as `{"result": …}` because its schema's root is no object.
    wraps_result: bool = False
    limits: CallLimits = CallLimits()
    #: The arguments of a valid call: an example of the tool's, else the smallest.
    example: Json | None = None
    #: Whether arguments and results must match the formats that their schemas name.
    asserts_input_formats: bool = False
    asserts_output_formats: bool = False
    #: Whether the output schema has base64 somewhere, so that bytes in a result are sent as that.
    has_base64_result: bool = False
    #: The codes of the tool's own errors.
    errors: tuple[str, ...] = ()
    #: How many parts of each schema one value may be checked against; 0 where that is few.
    input_checks: int = 0
    output_checks: int = 0
    #: What a caller's token must allow.
    scopes: tuple[str, ...] = ()
    #: Whether the user is asked before a call; None where not.
    confirm: Confirmation | None = None
    #: The tool of another server that carries it out; None where the implementation does.
    upstream: UpstreamTool | None = None
    #: The digest of the definition that was imported (`upstream.pins`); empty where none is pinned.
    pin: str = ""
    #: The content that a result has, beside the output schema or instead of one.
    content: ContentKind | None = None
    #: What the schema view costs with its definitions; 0 where it is too small to be shortened.
    schema_tokens: int = 0
    #: What the shortened view costs, if there is one.
    short_tokens: int = 0
    #: The function that it is in programs, where that is not its name.
    function: str = ""
    #: The operation of an HTTP API that carries it out.
    http: HttpOperation | None = None

    @property
    def server(self) -> str | None:
        """The server or HTTP API that carries it out; None where the implementation does."""
        carrier = self.http or self.upstream
        return carrier.server if carrier is not None else None
