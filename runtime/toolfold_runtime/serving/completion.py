"""Completion as the protocol has it: of arguments of prompts, and of variables of addresses."""

from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.prompt import PromptArgument
from toolfold_runtime.contract.resource import CATEGORY_PAGE, Resource, Variable
from toolfold_runtime.disclosure.completion import completions_of
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.disclosure.prompts import prompt_of
from toolfold_runtime.disclosure.resources import ResourceReader
from toolfold_runtime.errors import RequestError, UnknownAddressError, unknown_text
from toolfold_runtime.serving.request_handling import protocol_errors


class CompletionHandlers:
    """Answer requests for completion, in the protocol's types."""

    def __init__(self, dispatcher: Dispatcher, reader: ResourceReader) -> None:
        self._dispatcher = dispatcher
        self._reader = reader

    async def complete(
        self, context: ServerRequestContext[Any], params: types.CompleteRequestParams
    ) -> Json:
        """The best ways to go on, and how many there are."""
        ref = params.ref
        reference = ref.name if isinstance(ref, types.PromptReference) else ref.uri
        with protocol_errors(context, ref=reference):
            names = self._names(params)
            completions = completions_of(params.argument.value, names)
        completion = {
            "values": completions.values,
            "total": completions.total,
            "hasMore": completions.total > len(completions.values),
        }
        return {"resultType": "complete", "completion": completion}

    def _names(self, params: types.CompleteRequestParams) -> Sequence[str]:
        """The possible values of an argument, as far as they are known."""
        ref, argument = params.ref, params.argument.name
        if isinstance(ref, types.PromptReference):
            return _argument_named(prompt_of(self._dispatcher, ref.name).arguments, argument).values
        resource = self._resource(ref.uri)
        values = _argument_named(resource.variables, argument).values
        if resource.tool:
            return values
        catalog = self._dispatcher.catalog
        return catalog.categories() if resource.uri == CATEGORY_PAGE else catalog.names()

    def _resource(self, uri: str) -> Resource:
        for resource in self._reader.all:
            if resource.uri == uri:
                return resource
        known = [resource.uri for resource in self._reader.templates()]
        raise UnknownAddressError(unknown_text("template", uri, known))


def _argument_named(
    arguments: Sequence[PromptArgument] | Sequence[Variable], name: str
) -> PromptArgument | Variable:
    for argument in arguments:
        if argument.name == name:
            return argument
    raise RequestError(unknown_text("argument", name, [argument.name for argument in arguments]))
