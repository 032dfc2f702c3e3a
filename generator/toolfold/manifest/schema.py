"""The shape of `tools.yaml`, as Pydantic models; `toolfold schema` prints it for editors."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag
from toolfold_runtime.contract import vocabulary
from toolfold_runtime.contract.server import Execution as Defaults
from toolfold_runtime.contract.vocabulary import (
    CODE_PATTERN,
    Effect,
    Format,
    Strategy,
    Tier,
    UnknownParameters,
    UnlistedCalls,
)

from toolfold.manifest.tree import plain

ExposureChoice = Literal["auto", vocabulary.Exposure]
_DEFAULTS = Defaults()

# Clients accept no other characters in names and no more than 64 of them; a leading dash would
# read as an option on command lines.
_NAME = r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$"
_SERVER = r"^[A-Za-z0-9._-]{1,64}$"
_IDENTIFIER = r"^[A-Za-z][A-Za-z0-9_]*$"
_PATH = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*$"
_PREFIX = r"^[A-Za-z0-9_-]{0,32}$"
_ID = r"^[^\r\n]+::[^\r\n]+$"
_REFERENCE = r"^([A-Za-z0-9_][A-Za-z0-9_-]{0,63}|[^\r\n]+::[^\r\n]+)$"
_LINE = r"^[^\r\n]+$"
_URL = r"^(https?://|mailto:)[^\s<>\"\\^`{|}]+$"
_HTTP = r"^https?://[^\s/@]+(/[^\s]*)?$"
_ICON = r"^(https?://|data:image/)[^\s<>\"\\^`{|}]+$"
_ENV = r"^([A-Za-z]+ )?\$\{[A-Za-z_][A-Za-z0-9_]*\}$"

#: What each pattern asks for, in words; messages use them.
PATTERN_DESCRIPTIONS = {
    _NAME: "letters, digits, _ and -, at most 64 of them, not starting with -",
    _SERVER: "letters, digits, dots, _ and -, at most 64 of them",
    _IDENTIFIER: "a Python name: letters, digits and _, starting with a letter",
    _PATH: "module.path:ClassName",
    _PREFIX: "letters, digits, _ and -, at most 32 of them",
    _ID: "server::tool",
    _REFERENCE: "the name or the id of a tool: letters, digits, _ and -, or server::tool",
    _LINE: "one line of text that is not empty",
    _URL: "an http, https or mailto address",
    _HTTP: "an http or https address without a name or password in it",
    _ICON: "an http, https or data:image address",
    CODE_PATTERN: "lower-case letters, digits and _, starting with a letter, at most 64 of them",
    "env": "${NAME} of an environment variable, or {plain: value} if it is no secret",
    "text": "text that is not empty",
}

ToolName = Annotated[str, Field(pattern=_NAME)]
CategoryName = Annotated[str, Field(pattern=_NAME)]
ServerName = Annotated[str, Field(pattern=_SERVER)]
Identifier = Annotated[str, Field(pattern=_IDENTIFIER, max_length=64)]
ImplementationPath = Annotated[str, Field(pattern=_PATH, max_length=200)]
ErrorCode = Annotated[str, Field(pattern=CODE_PATTERN)]
ToolReference = Annotated[str, Field(pattern=_REFERENCE, max_length=400)]
ToolId = Annotated[str, Field(pattern=_ID, max_length=400)]
Text = Annotated[str, Field(min_length=1)]
Line = Annotated[str, Field(min_length=1, pattern=_LINE)]
Tokens = Annotated[int, Field(ge=1)]
JsonObject = Annotated[dict[str, Any], BeforeValidator(plain)]
JsonSchema = JsonObject


class _Part(BaseModel):
    """Closed and strict: an unknown key is a mistake, and `"5"` is not a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, validate_by_name=True)


class Server(_Part):
    """What the server is called and what carries its tools out."""

    name: ServerName = Field(description="What the server is called.")
    version: Text = Field(description="The server's version, in quotes if it looks like a number.")
    title: Line | None = None
    description: Text | None = None
    instructions: Text | None = Field(
        default=None, description="Sent to clients when they connect."
    )
    prefix: Annotated[str, Field(pattern=_PREFIX)] = Field(
        default="", description="Prepended to the default names of meta-tools."
    )
    package: Identifier | None = Field(
        default=None, description="Import name of the generated package."
    )
    implementation: ImplementationPath | None = Field(
        default=None, description="module.path:Class, resolved from the manifest's folder."
    )
    models: Literal["called", "all"] = Field(
        default="called",
        description="Which tools get Pydantic models: those carried out here, or all.",
    )

    @property
    def display_title(self) -> str:
        """The title, or the name where there is none."""
        return self.title or self.name


class MetaTool(_Part):
    """A meta-tool's own name and its place in the inventory."""

    name: ToolName | None = None
    category: CategoryName | None = None
    summary: Line | None = None
    example: Line | None = None


def _word_or_mapping(value: object) -> str:
    """Which half of a union is meant, so that a mistake is reported against that half only."""
    return "word" if isinstance(value, str) else "mapping"


_WORD = Tag("word")
_MAPPING = Tag("mapping")
MetaEntry = Annotated[
    Annotated[MetaTool, _MAPPING] | Annotated[Literal["off"], _WORD],
    Discriminator(_word_or_mapping),
]


class MetaTools(_Part):
    """The meta-tools, each renamed, placed, or switched off."""

    capabilities: MetaEntry = MetaTool()
    schema_: MetaEntry = Field(default=MetaTool(), alias="schema")
    search: MetaEntry = MetaTool()
    run: MetaTool | None = Field(
        default=None, description="One runner instead of run_read and run_write."
    )
    run_read: MetaEntry = MetaTool()
    run_write: MetaEntry = MetaTool()


class Budgets(_Part):
    """Limits in o200k tokens; one that is written here fails the build when exceeded."""

    surface: Tokens | None = None
    direct: Tokens | None = None
    capabilities: Tokens | None = None
    overview: Tokens | None = None
    category: Tokens | None = None
    schema_: Tokens | None = Field(default=None, alias="schema")
    hot: Tokens | None = None
    hits: Tokens | None = None
    result: Tokens | None = Field(
        default=None, description="Largest result of any tool; larger ones are truncated."
    )


class Disclosure(_Part):
    """How the tools are disclosed."""

    exposure: ExposureChoice = "auto"
    format: Format = "json"
    search: Strategy = "lexical"
    found_within: Annotated[int, Field(ge=1, le=50)] = Field(
        default=5, description="Among how many hits a tool's own example prompt must find it."
    )
    unknown_parameters: UnknownParameters = "warn"
    unlisted_calls: UnlistedCalls = "allow"
    quick_actions: dict[Line, ToolReference] = {}
    meta: MetaTools = MetaTools()
    budgets: Budgets = Budgets()


class Category(_Part):
    """A group of tools."""

    title: Line | None = None
    description: Text | None = None


class Example(_Part):
    """One call of a tool, valid against its parameters."""

    description: Line | None = None
    arguments: JsonObject = {}


class Performance(_Part):
    """What a call costs, as the author knows it."""

    speed: Literal["fast", "medium", "slow"] | None = None
    tokens: Tokens | None = None


class Reference(_Part):
    """Something to read elsewhere."""

    title: Line = Field(description="What the link says.")
    url: Annotated[str, Field(pattern=_URL)] = Field(description="Its address.")


class Icon(_Part):
    """A picture of a tool, for people."""

    src: Annotated[str, Field(pattern=_ICON)] = Field(description="Where the picture is.")
    mime_type: Line | None = Field(default=None, alias="mimeType")
    sizes: list[Line] = []
    theme: Literal["light", "dark"] | None = None


Seconds = Annotated[float, Field(gt=0, le=86_400)]
Count = Annotated[int, Field(ge=1, le=10_000)]


class Cache(_Part):
    """How long an answer may be given again, in seconds."""

    ttl: Seconds = Field(description="Seconds.")


class CacheBounds(_Part):
    """The bounds of the cache of all tools' answers."""

    entries: Annotated[int, Field(ge=1)] = _DEFAULTS.cache_entries
    megabytes: Annotated[float, Field(gt=0, le=100_000)] = _DEFAULTS.cache_bytes // 1_000_000


class Execution(_Part):
    """How tools are run, where a tool itself says nothing else."""

    timeout: Seconds | None = Field(
        default=None, description=f"Seconds that a call may take; default: {_DEFAULTS.timeout:g}."
    )
    concurrency: Count | None = Field(
        default=None, description=f"Calls that run at once; default: {_DEFAULTS.concurrency}."
    )
    coerce_strings: bool = Field(
        default=False, description='Take "5" for 5 and "true" for true, with a warning.'
    )
    cache: CacheBounds = CacheBounds()


class Backend(_Part):
    """What carries a call out."""

    python: Identifier = Field(description="The method of the implementation.")


class Deprecation(_Part):
    """Why a tool should no longer be used, and what to use instead."""

    use: ToolReference | None = Field(default=None, description="The tool to use instead.")
    reason: Line | None = Field(default=None, description="Why, in one line.")


def _flag_or_mapping(value: object) -> str:
    return "mapping" if isinstance(value, dict | Deprecation) else "flag"


DeprecatedEntry = Annotated[
    Annotated[Deprecation, _MAPPING] | Annotated[bool, Tag("flag")],
    Discriminator(_flag_or_mapping),
]


class Tool(_Part):
    """One tool."""

    category: CategoryName = Field(description="One of the names under `categories:`.")
    effect: Effect = Field(description="What a call does: read, write or destructive.")
    summary: Line = Field(description="One line; the default for title and description.")
    title: Line | None = None
    description: Text | None = None
    example: Line | None = None
    tags: list[Line] = []
    tier: Tier | None = None
    parameters: dict[str, JsonSchema] | None = None
    returns: JsonSchema | None = None
    input_schema: JsonSchema | None = None
    output_schema: JsonSchema | None = None
    formats: Literal["assert"] | None = Field(
        default=None,
        description="Holds values to the formats in `input_schema` and `output_schema` too.",
    )
    examples: list[Example] = []
    errors: dict[ErrorCode, Line] = Field(
        default={}, description="Codes of the tool's own errors, each with its meaning."
    )
    deprecated: DeprecatedEntry = Field(
        default=False, description="true, or what to use instead and why."
    )
    related: list[ToolReference] = []
    generates: list[Line] = []
    consumes: list[Line] = []
    performance: Performance | None = None
    notes: Text | None = None
    references: list[Reference] = []
    cache: Cache | None = None
    timeout: Seconds | None = Field(default=None, description="Seconds that a call may take.")
    concurrency: Count | None = Field(default=None, description="Calls that run at once.")
    coerce_strings: bool | None = Field(
        default=None, description='Take "5" for 5 and "true" for true, with a warning.'
    )
    budget: Tokens | None = Field(
        default=None,
        description="Largest result in tokens; a larger one is truncated, to be read on.",
    )
    aliases: list[ToolName] = []
    id: ToolId | None = Field(
        default=None, description="server::tool, where it came from elsewhere."
    )
    annotations: JsonObject = Field(default={}, description="MCP annotations, served unchanged.")
    icons: list[Icon] = Field(default=[], description="Pictures that clients may show.")
    proposed: list[Literal["effect"]] = Field(
        default=[], description="What an importer guessed; take it out once you agree."
    )
    meta: JsonObject = Field(default={}, description="MCP `_meta`, served unchanged.")
    backend: Backend | None = None

    @property
    def display_title(self) -> str:
        """The title, or the summary where there is none."""
        return self.title or self.summary

    @property
    def full_description(self) -> str:
        """The description, or the summary where there is none."""
        return self.description or self.summary

    @property
    def deprecation(self) -> Deprecation | None:
        """What to use instead and why; None where the tool is not deprecated."""
        if isinstance(self.deprecated, Deprecation):
            return self.deprecated
        return Deprecation() if self.deprecated else None

    @property
    def asserts_input_formats(self) -> bool:
        """Whether arguments must match the formats that the schema names."""
        return self.input_schema is None or self.formats == "assert"

    @property
    def asserts_output_formats(self) -> bool:
        """Whether results must match the formats that the schema names."""
        return self.output_schema is None or self.formats == "assert"


class Workflow(_Part):
    """A named chain of tools."""

    name: Line = Field(description="What the chain achieves.")
    description: Line | None = None
    steps: Annotated[list[ToolReference], Field(min_length=1)] = Field(
        description="Names of tools, in order."
    )


class Secret(_Part):
    """A value that is written in the open on purpose."""

    plain: str = Field(description="The value itself.")


EnvValue = Annotated[
    Annotated[str, Field(pattern=_ENV), _WORD] | Annotated[Secret, _MAPPING],
    Discriminator(_word_or_mapping),
]


class Upstream(_Part):
    """An upstream MCP server: a command to start, or an address."""

    command: Annotated[list[str], Field(min_length=1)] | None = None
    url: Annotated[str, Field(pattern=_HTTP)] | None = None
    env: dict[str, EnvValue] = {}
    headers: dict[str, EnvValue] = {}


class Manifest(_Part):
    """A manifest, whole."""

    toolfold: Literal[1] = Field(description="Version of the manifest's format.")
    server: Server = Field(description="What the server is called, at least name and version.")
    disclosure: Disclosure = Disclosure()
    execution: Execution = Execution()
    categories: dict[CategoryName, Category] = Field(description="Groups of tools, by name.")
    tools: dict[ToolName, Tool] = Field(description="The tools, by name.")
    workflows: list[Workflow] = []
    include: list[Line] = []
    overlays: list[Line] = []
    servers: dict[ServerName, Upstream] = {}
    defs: dict[Identifier, JsonSchema] = Field(default={}, alias="$defs")

    def id_of(self, tool: str) -> str:
        """A tool's id: where it came from, or this server and its name."""
        return self.tools[tool].id or f"{self.server.name}::{tool}"
