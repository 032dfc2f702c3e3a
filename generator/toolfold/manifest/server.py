"""The shape of what a manifest says about its server and about how all tools are run."""

from typing import Annotated, Final, Literal

from pydantic import Field
from toolfold_runtime.contract.server import Execution as Defaults
from toolfold_runtime.contract.server import ProgramLimits

from toolfold.manifest.types import (
    Count,
    Identifier,
    ImplementationPath,
    Line,
    ManifestModel,
    Prefix,
    Seconds,
    ServerName,
    Switch,
    Text,
)

_DEFAULTS: Final = Defaults()
_PROGRAM: Final = ProgramLimits()


class Server(ManifestModel):
    """What the server is called and what carries its tools out."""

    name: ServerName = Field(
        description="What the server is called, and the first half of its tools' ids.",
        examples=["shop"],
    )
    version: Text = Field(
        description="The server's version, in quotes if it looks like a number.", examples=["1.0.0"]
    )
    title: Line | None = Field(
        default=None,
        description="The server's name for people; default: its name.",
        examples=["Shop"],
    )
    description: Text | None = Field(
        default=None,
        description="What the server is for, in the docs and in `instructions`.",
        examples=["Find and cancel orders."],
    )
    instructions: Text | None = Field(
        default=None,
        description="Sent to clients when they connect, after how to start; default: the description.",
        examples=["Amounts are in cents."],
    )
    prefix: Prefix = Field(
        default="",
        description="Prepended to the default names of meta-tools.",
        examples=["shop_"],
    )
    package: Identifier | None = Field(
        default=None,
        description="Import name of the generated package; default: the server's name and `_mcp`.",
        examples=["shop_mcp"],
    )
    implementation: ImplementationPath | None = Field(
        default=None,
        description="The class that carries the tools out, resolved from the manifest's folder.",
        examples=["shop.tools:Shop"],
    )
    models: Literal["implemented", "all"] = Field(
        default="implemented",
        description=(
            "Which tools get Pydantic models:"
            " those that the implementation has a method for (implemented), or all."
        ),
    )

    @property
    def display_title(self) -> str:
        """The title, or the name where there is none."""
        return self.title or self.name


class CacheBounds(ManifestModel):
    """The bounds of the cache of all tools' answers."""

    entries: Annotated[int, Field(ge=1)] = Field(
        default=_DEFAULTS.cache_entries, description="How many answers are cached at most."
    )
    megabytes: Annotated[float, Field(gt=0, le=100_000)] = Field(
        default=_DEFAULTS.cache_bytes // 1_000_000, description="How much memory they may take."
    )


class ProgramBounds(ManifestModel):
    """What one program of an agent may take, where `disclosure.code` is on."""

    seconds: Annotated[float, Field(gt=0, le=3600)] = Field(
        default=_PROGRAM.seconds,
        description="How long a run may take, its calls included; not the time that a user takes to answer.",
    )
    megabytes: Annotated[int, Field(ge=16, le=4096)] = Field(
        default=_PROGRAM.megabytes, description="How much memory a program's values may take."
    )
    calls: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=_PROGRAM.calls, description="How many calls of tools a program may make."
    )
    output: Annotated[int, Field(ge=100)] = Field(
        default=_PROGRAM.output,
        description="Tokens of an answer; a longer value is truncated, and longer printed text is cut.",
    )
    clock: Switch = Field(
        default="off", description="Whether a program may ask what time it is (UTC)."
    )


class Execution(ManifestModel):
    """How tools are run, where a tool itself says nothing else."""

    timeout: Seconds | None = Field(
        default=None,
        description="Seconds that a call may take.",
        json_schema_extra={"default": _DEFAULTS.timeout},
        examples=[20],
    )
    concurrency: Count | None = Field(
        default=None,
        description="Calls that run at once.",
        json_schema_extra={"default": _DEFAULTS.concurrency},
    )
    coerce_strings: bool = Field(
        default=False, description='Take "5" for 5 and "true" for true, with a warning.'
    )
    cache: CacheBounds = Field(
        default=CacheBounds(),
        description="How much the cache of all tools' answers may hold.",
        examples=[{"entries": 500, "megabytes": 32}],
    )
    code: ProgramBounds = Field(
        default=ProgramBounds(),
        description="What one program may take, where `disclosure.code` is on.",
        examples=[{"seconds": 60, "calls": 300}],
    )
