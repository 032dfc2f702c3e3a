"""`server.json`: the facts of a server, whose size does not depend on the number of tools."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json, decode
from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.vocabulary import (
    ArgumentsForm,
    Detail,
    Effect,
    Exposure,
    Format,
    HotBy,
    Strategy,
    UnknownParameters,
    UnlistedCalls,
)

#: Raised whenever the runtime reads something that older generators did not write.
CATALOG_FORMAT: Final = 10
#: How many calls of a tool run at once unless it says otherwise; at most three quarters of all.
TOOL_CONCURRENCY: Final = 16


class ProgramLimits(NamedTuple):
    """The limits of one program of an agent, from its first line to its last."""

    #: Of the whole run, calls included; not the time that a user takes to answer.
    seconds: float = 30.0
    #: Memory of the program's own values; checking its types takes some beside.
    megabytes: int = 64
    calls: int = 100
    #: Tokens of its answer: its value and what it printed.
    output: int = 4000
    #: Whether a program may ask what time it is.
    has_clock: bool = False


class Execution(NamedTuple):
    """How tools are run where a tool itself says nothing else."""

    #: Seconds; below the minute after which clients give up by themselves, so that they hear why.
    timeout: float = 50.0
    concurrency: int = 64
    coerce_strings: bool = False
    #: Tokens of the largest result; None for no limit.
    budget: int | None = None
    cache_entries: int = 1000
    cache_bytes: int = 64_000_000
    program: ProgramLimits = ProgramLimits()


class SearchBudget(NamedTuple):
    """Tokens that the answer to a search may cost, and those of them that are reserved.

    What is reserved is for the note about omitted results and for the next step.
    """

    tokens: int
    reserved: int


class ServerFacts(NamedTuple):
    """Everything a server knows before it is asked about a tool."""

    #: The format of the catalog.
    catalog: int
    name: str
    version: str
    title: str | None
    instructions: dict[Exposure, str]
    #: `module:Class`, imported from the manifest's folder; None where tools are only described.
    implementation: str | None
    exposure: Exposure
    default_view: Detail
    format: Format
    unknown_parameters: UnknownParameters
    unlisted_calls: UnlistedCalls
    search: Strategy
    search_budget: SearchBudget
    execution: Execution
    #: The tools that `hybrid` lists: hot ones, as many as fit their budget.
    hot: tuple[str, ...]
    #: The implementation's own methods that are awaited at the beginning and at the end.
    lifecycle: tuple[str, ...]
    #: Runner to the effects of the tools that it runs.
    runners: dict[str, tuple[Effect, ...]]
    meta_tools: tuple[Definition, ...]
    #: The served names of the meta-tools for the inventory and for schemas; None where switched off.
    capabilities_tool: str | None = None
    schema_tool: str | None = None
    #: The runner with which a truncated result is read on.
    reader: str | None = None
    #: Whether any result may be truncated.
    has_result_budget: bool = False
    #: Whether other servers carry out any tool.
    has_upstreams: bool = False
    #: How runners take arguments.
    arguments: ArgumentsForm = "object"
    #: Whether pages and schemas can be read as resources.
    has_generated_resources: bool = True
    #: Whether the manifest declares resources, and whether there are prompts.
    has_resources: bool = False
    has_prompts: bool = False
    #: The tools to show first, the best first, and what decided that they are.
    hot_list: tuple[str, ...] = ()
    hot_by: HotBy = "order"
    #: Where the manifest says that usage is recorded: `off`, a path from its folder, or nothing.
    usage: str | None = None
    #: Meta-tool that runs programs to the effects of the tools that these may call; none where off.
    program_tools: dict[str, tuple[Effect, ...]] = {}  # noqa: RUF012 - the field of a tuple, never changed
    #: Tokens of one answer with schemas.
    details: int = 4000


def is_listed(name: str, exposure: str, hot: Collection[str]) -> bool:
    """Whether an exposure lists a tool, which is then called by its own name."""
    return exposure == "direct" or (exposure == "hybrid" and name in hot)


def runner_for(runners: Mapping[str, Collection[Effect]], effect: Effect) -> str:
    """The first runner that runs tools of an effect; empty where none does."""
    return next((name for name, effects in runners.items() if effect in effects), "")


def run_step(runner: str, arguments: ArgumentsForm) -> str:
    """The next step with a runner, as views show it."""
    return f"{runner}, arguments as a JSON string" if runner and arguments == "json" else runner


def read_facts(data: Json) -> ServerFacts | None:
    """The facts in a parsed `server.json`; None where another version of toolfold wrote it."""
    return decode(ServerFacts, data) if data.get("catalog") == CATALOG_FORMAT else None
