"""What a manifest says about usage: where it is recorded, how tiers follow from it, what was measured."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field

from toolfold.manifest.types import MAPPING, WORD, Line, ManifestModel, word_or_mapping

Share = Annotated[float, Field(ge=0, le=1)]
Millis = Annotated[float, Field(ge=0)]


class Measured(ManifestModel):
    """What was measured of a tool's calls; `toolfold tiers update` writes it into an overlay."""

    score: Share = Field(description="What tiers, order and ranking depend on.", examples=[0.87])
    calls: Annotated[int, Field(ge=1)] = Field(
        description="Calls in the 30 days before.", examples=[12453]
    )
    success_rate: Share = Field(
        description="The share of calls that did not fail.", examples=[0.987]
    )
    latency_ms: Millis = Field(description="Milliseconds of an average call.", examples=[47])
    p95_ms: Millis = Field(
        description="Milliseconds that all but the slowest 5 % take at most.", examples=[89]
    )


class UsageFile(ManifestModel):
    """The file that usage is recorded in."""

    file: Line = Field(
        description="A path; relative ones are beside the manifest.", examples=["usage.db"]
    )


UsageEntry = Annotated[
    Annotated[UsageFile, MAPPING] | Annotated[Literal["off"], WORD],
    Discriminator(word_or_mapping),
]


class Weights(ManifestModel):
    """What each part contributes to a score; they are divided by their sum."""

    popularity: Share = Field(default=0.40, description="Calls in 30 days, at most 10,000.")
    success: Share = Field(default=0.30, description="The share of calls that did not fail.")
    latency: Share = Field(default=0.20, description="How far the average is below a second.")
    recency: Share = Field(default=0.10, description="Calls in 7 days against those in 30.")


class Thresholds(ManifestModel):
    """The score from which a tool is in a tier; below all of them it is cold."""

    hot: Share = Field(default=0.80, description="The score of hot tools.")
    warm: Share = Field(default=0.60, description="The score of warm tools.")
    standard: Share = Field(default=0.30, description="The score of standard tools.")


class Tiers(ManifestModel):
    """How tiers follow from usage."""

    weights: Weights = Field(
        default=Weights(),
        description="What each part contributes to a score.",
        examples=[{"popularity": 0.5, "latency": 0.1}],
    )
    thresholds: Thresholds = Field(
        default=Thresholds(),
        description="The score from which a tool is in a tier.",
        examples=[{"hot": 0.75}],
    )
    least_calls: Annotated[int, Field(ge=1)] = Field(
        default=20,
        description="Calls in 30 days below which a tool is not ranked by usage.",
    )
