"""The shape of what a manifest says about disclosure: meta-tools, budgets, exposure, search."""

from typing import Annotated, Final, Literal

from pydantic import Discriminator, Field
from toolfold_runtime.contract import vocabulary
from toolfold_runtime.contract.vocabulary import (
    ArgumentsForm,
    Format,
    Strategy,
    UnknownParameters,
    UnlistedCalls,
)

from toolfold.manifest.types import (
    MAPPING,
    WORD,
    CategoryName,
    Line,
    ManifestModel,
    Switch,
    Tokens,
    ToolName,
    ToolReference,
    word_or_mapping,
)

#: Which tools programs may call.
CodeMode = Literal["off", "read", "write"]
ExposureChoice = Literal["auto", vocabulary.Exposure]
#: Budgets in o200k tokens, where a manifest sets none.
BUDGETS: Final = {
    "surface": 350,
    "direct": 4000,
    "capabilities": 500,
    "overview": 100,
    "category": 2000,
    "schema": 300,
    "details": 4000,
    "hot": 2000,
    "hits": 200,
}


class MetaTool(ManifestModel):
    """A meta-tool's own name and its place in the inventory."""

    name: ToolName | None = Field(
        default=None,
        description="What it is called; default: `server.prefix` and its usual name.",
        examples=["shop_tools"],
    )
    category: CategoryName | None = Field(
        default=None,
        description="The category that lists it in the inventory; default: none.",
        examples=["help"],
    )
    summary: Line | None = Field(
        default=None, description="Its line in the inventory.", examples=["This inventory"]
    )
    example: Line | None = Field(
        default=None,
        description="A prompt that needs it, shown in the inventory.",
        examples=["what can you do?"],
    )


MetaEntry = Annotated[
    Annotated[MetaTool, MAPPING] | Annotated[Literal["off"], WORD],
    Discriminator(word_or_mapping),
]


class MetaTools(ManifestModel):
    """The meta-tools, each renamed, placed, or switched off."""

    capabilities: MetaEntry = Field(
        default=MetaTool(),
        description="Answers with the inventory; `off` for none.",
        examples=["off", {"name": "shop_tools", "category": "help"}],
    )
    schema_: MetaEntry = Field(
        default=MetaTool(),
        alias="schema",
        description="Answers with a tool's schema; `off` for none.",
        examples=["off", {"name": "describe_tool"}],
    )
    search: MetaEntry = Field(
        default=MetaTool(),
        description="Finds tools by what they do; `off` for none.",
        examples=["off", {"name": "find_tools"}],
    )
    run: MetaTool | None = Field(
        default=None,
        description="One runner instead of run_read and run_write.",
        examples=[{}, {"name": "call_tool"}],
    )
    run_read: MetaEntry = Field(
        default=MetaTool(),
        description="Runs tools of effect read; `off` for none.",
        examples=["off", {"name": "read_with"}],
    )
    run_write: MetaEntry = Field(
        default=MetaTool(),
        description="Runs tools of any effect; `off` for none.",
        examples=["off", {"name": "write_with"}],
    )
    code: MetaEntry = Field(
        default=MetaTool(),
        description="Where `disclosure.code` is on: runs programs that call reading tools; `off` for none.",
        examples=["off", {"name": "program"}],
    )
    code_write: MetaEntry = Field(
        default=MetaTool(),
        description="Where `disclosure.code` is write: runs programs that call any tool; `off` for none.",
        examples=["off", {"name": "program_that_writes"}],
    )


def _budget(name: str, description: str) -> Tokens | None:
    """A budget whose default, which only warns, is shown to editors."""
    limit: Tokens | None = Field(
        default=None, description=description, json_schema_extra={"default": BUDGETS[name]}
    )
    return limit


class Budgets(ManifestModel):
    """Limits in o200k tokens; one that is written here fails the build when exceeded."""

    surface: Tokens | None = _budget("surface", "The meta-tools as they are listed.")
    direct: Tokens | None = _budget("direct", "The list up to which `auto` lists every tool.")
    capabilities: Tokens | None = _budget("capabilities", "The inventory that is shown first.")
    overview: Tokens | None = _budget("overview", "A page of the overview.")
    category: Tokens | None = _budget("category", "A page of a category, and of any other view.")
    schema_: Tokens | None = Field(
        default=None,
        alias="schema",
        description="The schema of a tool.",
        json_schema_extra={"default": BUDGETS["schema"]},
    )
    details: Tokens | None = _budget(
        "details", "One answer with schemas; the largest are shortened until it fits."
    )
    hot: Tokens | None = _budget("hot", "The hot tools, in their view and listed by `hybrid`.")
    hits: Tokens | None = _budget("hits", "The answer to a search.")
    result: Tokens | None = Field(
        default=None,
        description="Largest result of any tool; larger ones are truncated; default: no limit.",
        examples=[4000],
    )


class Disclosure(ManifestModel):
    """How the tools are disclosed."""

    exposure: ExposureChoice = Field(
        default="auto",
        description=(
            "What is listed: every tool (direct), meta-tools (progressive), those and hot tools"
            " (hybrid), or direct while it fits `budgets.direct` (auto)."
        ),
    )
    format: Format = Field(
        default="json", description="The form of views where a client asks for none."
    )
    search: Strategy = Field(
        default="lexical",
        description=(
            "Search by words (lexical), by meaning (semantic), or by both (hybrid); the last two"
            " need toolfold[semantic]."
        ),
    )
    found_within: Annotated[int, Field(ge=1, le=50)] = Field(
        default=5,
        description="Among how many results a tool's own example prompt must find it.",
    )
    unknown_parameters: UnknownParameters = Field(
        default="warn",
        description="What meta-tools do with parameters that they do not have.",
    )
    arguments: ArgumentsForm = Field(
        default="object",
        description=(
            "How runners take arguments: as an object, or as a JSON string (json) for clients that"
            " close every object and could send only an empty one."
        ),
    )
    code: CodeMode = Field(
        default="off",
        description=(
            "Whether agents may run programs in which tools are typed functions: of tools that"
            " read (read), of every tool (write); needs toolfold[code] where it is served."
        ),
    )
    unlisted_calls: UnlistedCalls = Field(
        default="allow",
        description="Whether a tool that is not listed may be called by its own name.",
    )
    quick_actions: dict[Line, ToolReference] = Field(
        default={},
        description="Common tasks, each with its tool; shown with the inventory.",
        examples=[{"find an order": "find_order"}],
    )
    resources: Switch = Field(
        default="on",
        description="Whether generated pages and schemas can be read as `toolfold://` resources.",
    )
    prompts: Switch = Field(default="on", description="Whether each workflow is also a prompt.")
    meta: MetaTools = Field(
        default=MetaTools(),
        description="The meta-tools: renamed, placed in a category, or switched off.",
        examples=[{"search": "off", "schema": {"name": "describe_tool"}}],
    )
    budgets: Budgets = Field(
        default=Budgets(),
        description="Limits in o200k tokens; one that is written here fails the build.",
        examples=[{"capabilities": 800, "result": 4000}],
    )
