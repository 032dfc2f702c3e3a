"""Prompts as the protocol has them: a list, and each with its arguments filled in."""

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.prompt import Prompt, PromptArgument
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.disclosure.prompts import filled_prompt
from toolfold_runtime.serving.call_contexts import CallContexts
from toolfold_runtime.serving.request_handling import (
    answer_or_question,
    listed,
    protocol_errors,
)


class PromptHandlers:
    """Answer requests about prompts, in the protocol's types."""

    def __init__(self, dispatcher: Dispatcher, contexts: CallContexts) -> None:
        self._dispatcher = dispatcher
        self._contexts = contexts

    async def list(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams
    ) -> Json:
        """One page of the list."""
        with protocol_errors(context):
            items = [_listed(prompt) for prompt in self._dispatcher.catalog.prompts.values()]
            return listed(items, params.cursor, "prompts")

    async def get(
        self, context: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> Any:
        """The messages, or the question that the user must be asked first."""
        return await answer_or_question(self._get(context, params))

    async def _get(
        self, context: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> Json:
        with protocol_errors(context, prompt=params.name):
            prompt = await filled_prompt(
                self._dispatcher,
                params.name,
                params.arguments or {},
                self._contexts.context_of(context, params),
            )
        messages = [{"role": "user", "content": block} for block in prompt.blocks]
        return {
            "resultType": "complete",
            "description": prompt.description,
            "messages": messages,
        }


def _listed(prompt: Prompt) -> Json:
    """A prompt in the protocol's own form."""
    title = {} if prompt.title is None else {"title": prompt.title}
    arguments = [_argument(argument) for argument in prompt.arguments]
    return {
        "name": prompt.name,
        **title,
        "description": prompt.description,
        "arguments": arguments,
    }


def _argument(argument: PromptArgument) -> Json:
    described = {"description": argument.description} if argument.description else {}
    return {"name": argument.name, **described, "required": argument.required}
