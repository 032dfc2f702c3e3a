"""What a server offers beside tools, and says that it does; nothing where there is nothing."""

from typing import Any

from mcp.server.lowlevel import Server

from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.disclosure.resources import ResourceReader
from toolfold_runtime.serving.completion import add_completion
from toolfold_runtime.serving.prompts import add_prompts
from toolfold_runtime.serving.requests import Origin
from toolfold_runtime.serving.resources import add_resources


def add_offers(server: Server[Any], dispatcher: Dispatcher, origin: Origin) -> None:
    """Have a server offer the resources and prompts of its catalog, and complete their arguments."""
    facts, reader = dispatcher.facts, ResourceReader(dispatcher)
    has_resources = facts.has_generated_resources or facts.has_resources
    if has_resources:
        add_resources(server, reader, origin)
    if facts.has_prompts:
        add_prompts(server, dispatcher, origin)
    if has_resources or facts.has_prompts:
        add_completion(server, dispatcher, reader)
