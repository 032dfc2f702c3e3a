"""Prompts: texts with arguments, or what a tool answers to them."""

from typing import NamedTuple

from toolfold_runtime.contract.vocabulary import Exposure


class PromptArgument(NamedTuple):
    """An argument of a prompt, and the values that it can have where they are few."""

    name: str
    description: str = ""
    required: bool = False
    values: tuple[str, ...] = ()


class PromptPart(NamedTuple):
    """A piece of a prompt's text, and the argument that follows it.

    Where an argument is named and was not given, the whole piece is omitted.
    """

    text: str = ""
    argument: str = ""
    #: The exposures in which it is part of the text; empty for all of them.
    only: tuple[Exposure, ...] = ()


class Prompt(NamedTuple):
    """A prompt as it is listed, and where its messages come from: its parts, or a tool."""

    name: str
    description: str
    title: str | None = None
    arguments: tuple[PromptArgument, ...] = ()
    parts: tuple[PromptPart, ...] = ()
    tool: str = ""


class Prompts(NamedTuple):
    """`prompts.json`: those that the manifest declares, then one for each workflow."""

    prompts: tuple[Prompt, ...]
