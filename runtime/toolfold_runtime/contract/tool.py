"""A tool in the catalog: one line of `categories/<category>.jsonl`."""

from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.upstream import UpstreamTool
from toolfold_runtime.contract.vocabulary import Confirmation, ContentKind, Effect

#: Checks of one value up to which they are not worth counting.
FEW_CHECKS: Final = 20


class CallLimits(NamedTuple):
    """What the manifest says about the calls of one tool; None where it says nothing."""

    timeout: float | None = None
    concurrency: int | None = None
    coerce_strings: bool | None = None
    #: Tokens of the largest result.
    budget: int | None = None
    #: Seconds for which a result may be given again.
    cache_ttl: float | None = None
    #: Whether a result is the same for every caller.
    is_cache_shared: bool = False


class ToolViews(NamedTuple):
    """The ready texts about one tool; `more` is what the full view adds to the schema."""

    summary: str
    schema: str
    more: str

    @property
    def full(self) -> str:
        """The schema view with everything else there is to know behind it."""
        if self.more in ("", "{}"):
            return self.schema
        if self.schema.startswith("{"):
            return f"{self.schema[:-1]},{self.more[1:]}"
        return f"{self.schema}\n{self.more}"


class ToolEntry(NamedTuple):
    """What the runtime needs when a tool is asked about or called. `name` comes first."""

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
