"""Filling in prompts: a text with arguments, or the answer of a tool."""

from collections.abc import Mapping
from typing import NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.prompt import Prompt
from toolfold_runtime.contract.vocabulary import Exposure
from toolfold_runtime.disclosure.dispatch import Dispatcher, text_blocks
from toolfold_runtime.disclosure.meta_tools import with_nearest
from toolfold_runtime.disclosure.received import refuse_non_json
from toolfold_runtime.errors import RequestError, too_large, unknown_text
from toolfold_runtime.jsontext import MOST_ANSWER_BYTES
from toolfold_runtime.running.call import CallContext


class FilledPrompt(NamedTuple):
    """A prompt as it is sent: a description, and blocks of content, each of which is a message."""

    description: str
    blocks: tuple[Json, ...]


def prompt_of(dispatcher: Dispatcher, name: str) -> Prompt:
    """The prompt of that name; RequestError with the nearest names."""
    prompt = dispatcher.catalog.prompts.get(name)
    if prompt is None:
        raise RequestError(unknown_text("prompt", name, dispatcher.catalog.prompts))
    return prompt


async def filled_prompt(
    dispatcher: Dispatcher, name: str, arguments: Mapping[str, str], context: CallContext
) -> FilledPrompt:
    """A prompt with its arguments; RequestError or ToolError where they are not right.

    An argument that is empty counts as not given: forms send all of theirs.
    """
    prompt = prompt_of(dispatcher, name)
    known = {argument.name for argument in prompt.arguments}
    given = {key: value for key, value in arguments.items() if key in known and value}
    refuse_non_json(given)
    _refuse_missing(prompt, given)
    description = prompt.description + _warning_of_ignored(
        prompt, [key for key in arguments if key not in known]
    )
    if prompt.tool:
        reply = await dispatcher.call_with_texts(prompt.tool, given, context)
        return FilledPrompt(description, reply.content)
    text = _text(prompt, given, dispatcher.exposure)
    return FilledPrompt(description, text_blocks(text))


def _refuse_missing(prompt: Prompt, given: Mapping[str, str]) -> None:
    missing = [
        argument
        for argument in prompt.arguments
        if argument.required and argument.name not in given
    ]
    if missing:
        named = (
            f"{argument.name} ({argument.description})" if argument.description else argument.name
            for argument in missing
        )
        raise RequestError(f"{prompt.name} needs {', '.join(named)}.")


def _warning_of_ignored(prompt: Prompt, names: list[str]) -> str:
    """A warning about arguments that the prompt does not have; empty where it has all of them."""
    if not names:
        return ""
    known = [argument.name for argument in prompt.arguments]
    return f" (warning: ignored unknown arguments: {with_nearest(names, known)})"


def _text(prompt: Prompt, given: Mapping[str, str], exposure: Exposure) -> str:
    """The text in this exposure. Arguments are put in as they are, never read as a template."""
    texts = list[str]()
    room = MOST_ANSWER_BYTES
    for part in prompt.parts:
        if part.only and exposure not in part.only:
            continue
        if part.argument and part.argument not in given:
            continue
        texts += [part.text, given.get(part.argument, "")]
        room -= sum(len(text.encode()) for text in texts[-2:])
        if room < 0:
            raise RequestError(too_large(prompt.name, "Give shorter arguments.").text)
    return "".join(texts)
