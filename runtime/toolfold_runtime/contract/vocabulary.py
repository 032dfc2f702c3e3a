"""The words that manifests, catalogs and agents have in common."""

from typing import Final, Literal, TypeAlias, get_args

Effect: TypeAlias = Literal["read", "write", "destructive"]
Tier: TypeAlias = Literal["hot", "warm", "standard", "cold"]
#: The criterion by which tools are shown first.
HotBy: TypeAlias = Literal["usage", "usage and declared", "declared", "quick actions", "order"]
Exposure: TypeAlias = Literal["direct", "progressive", "hybrid"]
Strategy: TypeAlias = Literal["lexical", "semantic", "hybrid"]
Format: TypeAlias = Literal["json", "text"]
UnknownParameters: TypeAlias = Literal["warn", "reject"]
#: How runners take the arguments of a tool: as an object, or as text that is JSON.
ArgumentsForm: TypeAlias = Literal["object", "json"]
UnlistedCalls: TypeAlias = Literal["allow", "deny"]
#: What happens if the client cannot ask its user: the call goes on, or is refused.
Confirmation: TypeAlias = Literal["ask", "require"]
#: The content that a tool returns besides JSON; `mixed` for any number of blocks of any kind.
ContentKind: TypeAlias = Literal["image", "audio", "file", "link", "mixed"]
#: How much an inventory tells: of all tools, of one category, and of one tool.
Detail: TypeAlias = Literal["counts", "overview", "names", "summaries", "full", "hot"]
CategoryDetail: TypeAlias = Literal["names", "summaries", "full"]
ToolDetail: TypeAlias = Literal["summary", "schema", "full"]
#: The codes of the runtime's own errors; tools may raise others, which the manifest declares.
Code: TypeAlias = Literal[
    "unknown_tool",
    "unknown_category",
    "invalid_arguments",
    "invalid_result",
    "invalid_program",
    "program_failed",
    "effect_refused",
    "forbidden",
    "unconfirmed",
    "backend_failed",
    "definition_changed",
    "timeout",
    "budget_exceeded",
]

EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)
EXPOSURES: Final[tuple[Exposure, ...]] = get_args(Exposure)
STRATEGIES: Final[tuple[Strategy, ...]] = get_args(Strategy)
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
CONTENT_KINDS: Final[tuple[ContentKind, ...]] = get_args(ContentKind)
DETAILS: Final[tuple[Detail, ...]] = get_args(Detail)
CATEGORY_DETAILS: Final[tuple[CategoryDetail, ...]] = get_args(CategoryDetail)
TOOL_DETAILS: Final[tuple[ToolDetail, ...]] = get_args(ToolDetail)
CODES: Final[tuple[Code, ...]] = get_args(Code)

#: The typed function that programs call, which there is where programs are run.
STUB_DETAIL: Final = "stub"

#: The form of every error code.
CODE_PATTERN: Final = r"^[a-z][a-z0-9_]{0,63}$"

#: The key of the view that `capabilities` gives if no detail is asked for.
DEFAULT_VIEW: Final = "default"

#: The name of the question whether a tool may run, which no method may ask.
CONFIRM: Final = "confirm"
