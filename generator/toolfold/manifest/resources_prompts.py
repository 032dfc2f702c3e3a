"""The shape of resources, which are results of tools by address, and of prompts."""

from pydantic import Field

from toolfold.manifest.types import (
    ArgumentName,
    Line,
    ManifestModel,
    MimeType,
    Text,
    ToolReference,
    UriTemplate,
)


class Resource(ManifestModel):
    """An address under which the result of a tool can be read."""

    uri: UriTemplate = Field(
        description="The address; its variables in braces are the tool's parameters.",
        examples=["orders://{id}"],
    )
    tool: ToolReference = Field(
        description="The tool that is called to read it; its effect must be read.",
        examples=["find_order"],
    )
    summary: Line = Field(
        description="One line about what can be read there.", examples=["One order"]
    )
    title: Line | None = Field(
        default=None,
        description="Its name for people; default: the key that it stands under.",
        examples=["Order"],
    )
    mime_type: MimeType | None = Field(
        default=None,
        description="The media type of its text; default: by what the tool returns.",
        examples=["application/json"],
    )


class PromptArgument(ManifestModel):
    """An argument of a prompt, which is always text."""

    description: Line | None = Field(
        default=None,
        description="What to give; default: what the tool says of the parameter.",
        examples=["What to review"],
    )
    required: bool = Field(default=False, description="Whether it must be given.")
    values: list[Line] = Field(
        default=[],
        description="Values to choose from, which clients complete.",
        examples=[["short", "long"]],
    )


class Prompt(ManifestModel):
    """A prompt: a text, or what a tool answers."""

    summary: Line = Field(
        description="One line about what the prompt is for.", examples=["Review code"]
    )
    title: Line | None = Field(
        default=None,
        description="Its name for people; default: the key that it stands under.",
        examples=["Apology"],
    )
    arguments: dict[ArgumentName, PromptArgument] | None = Field(
        default=None,
        description="Its arguments by name; default: none, or the parameters of its tool.",
        examples=[{"code": {"description": "What to review", "required": True}}],
    )
    text: Text | None = Field(
        default=None,
        description="What it says, with arguments in braces; {{ and }} are braces.",
        examples=["Review this: {code}"],
    )
    tool: ToolReference | None = Field(
        default=None,
        description="The tool whose answer it is, called with the arguments; its effect must be read.",
        examples=["find_order"],
    )
