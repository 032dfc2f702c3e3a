"""A shop whose orders can be read by address, and ways to ask for its resources and prompts."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import anyio
from mcp import Client, MCPError

from tests.support.clients import MODERN, Era, connected
from tests.support.projects import Json

T = TypeVar("T")


def tool(effect: str = "read", **fields: Any) -> Json:
    return {"category": "all", "effect": effect, "summary": "One", **fields}


ID: Final = {"id": {"type": "string", "required": True, "description": "Number of the order"}}
TOOLS: Final = {
    "find_order": tool(
        tier="hot",
        aliases=["get_order"],
        parameters=ID,
        returns={"type": "object", "properties": {"id": {"type": "string"}}},
        errors={"not_found": "No such order", "broken": "It is broken"},
    ),
    "list_orders": tool(
        parameters={
            "state": {"enum": ["open", "sent"]},
            "limit": {"type": "integer"},
            "all": {"type": "boolean"},
        },
        generates=["order_id"],
    ),
    "cancel_order": tool(
        "destructive",
        parameters={
            "order_id": {"type": "string", "required": True},
            "reason": {"type": "string", "required": True, "description": "Why"},
        },
    ),
    "greet": tool(parameters={"name": {"type": "string"}}, returns={"type": "string"}),
    "mine": tool(scopes=["orders:read"], cache={"ttl": 60}),
    "long": tool(budget=40),
    "asking": tool(confirm="require", parameters=ID),
    "fails": tool(),
    "index": tool(),
}
IMPLEMENTATION: Final = """
from toolfold_runtime import ToolError, caller


class Tools:
    def find_order(self, params):
        if params.id == "none":
            raise ToolError("not_found", "no such order; read orders://all")
        if params.id == "broken":
            raise ToolError("broken", "it is broken")
        return {"id": params.id}

    def list_orders(self, params):
        return {"state": params.state, "limit": params.limit, "all": params.all}

    def cancel_order(self, params):
        return "cancelled"

    def greet(self, params):
        return f'Hello, "{params.name}"'

    def mine(self, params):
        return f"orders of {caller().subject}"

    def long(self, params):
        return [f"number {n}" for n in range(200)]

    def asking(self, params):
        return f"asked for {params.id}"

    def fails(self, params):
        raise RuntimeError("/home/me/secret")

    def index(self, params):
        return "an index"
"""
MORE: Final[Json] = {
    "workflows": [
        {"name": "Cancel it!", "steps": ["list_orders", "cancel_order"]},
    ],
    "resources": {
        "orders": {"uri": "orders://all", "tool": "list_orders", "summary": "All orders"},
        "order": {"uri": "orders://all/{id}", "tool": "find_order", "summary": "One order"},
        "some": {
            "uri": "orders://by/{state}/{limit}.json?all={all}",
            "tool": "list_orders",
            "summary": "Some orders",
            "mime_type": "text/csv",
        },
        "greeting": {"uri": "greet:{name}", "tool": "greet", "summary": "A greeting"},
        "mine": {"uri": "orders://mine", "tool": "mine", "summary": "My orders"},
        "long": {"uri": "orders://long", "tool": "long", "summary": "Many orders"},
        "asking": {"uri": "asking://{id}", "tool": "asking", "summary": "One order"},
        "fails": {"uri": "fails://all", "tool": "fails", "summary": "Never"},
    },
    "prompts": {
        "review": {
            "summary": "Review code",
            "title": "Code review",
            "arguments": {
                "code": {"description": "What to review", "required": True},
                "style": {"values": ["short", "long", "longer"]},
            },
            "text": "Review {code} as {{x}}.{style} {code}",
        },
        "listing": {"summary": "Orders", "tool": "list_orders"},
        "greeting": {"summary": "A greeting", "tool": "greet"},
        "asking": {"summary": "An order", "tool": "asking"},
        "fails": {"summary": "Never", "tool": "fails"},
        "mine": {"summary": "My orders", "tool": "mine"},
    },
}


def ask(
    server: Any, question: Callable[[Client], Awaitable[T]], era: Era = MODERN, **more: Any
) -> T:
    """What a client of its own is answered."""

    async def connect() -> T:
        async with connected(server, era, **more) as client:
            return await question(client)

    return anyio.run(connect)


def contents(server: Any, uri: str, era: Era = MODERN, **more: Any) -> list[Json]:
    """What is read under an address, as it was sent."""
    result = ask(server, lambda client: client.read_resource(uri), era, **more)
    return [one.model_dump(by_alias=True, exclude_none=True) for one in result.contents]


def text(server: Any, uri: str, era: Era = MODERN) -> str:
    """The one text under an address."""
    (content,) = contents(server, uri, era)
    return str(content["text"])


def prompt(server: Any, which: str, /, era: Era = MODERN, **arguments: str) -> list[str]:
    """The texts of a prompt's messages."""
    result = ask(server, lambda client: client.get_prompt(which, arguments), era)
    messages = [one.model_dump(by_alias=True, exclude_none=True) for one in result.messages]
    assert {message["role"] for message in messages} <= {"user"}
    return [message["content"]["text"] for message in messages]


def refusal(
    server: Any, question: Callable[[Client], Awaitable[object]], era: Era = MODERN
) -> MCPError:
    """The error of the protocol that a question is answered with."""

    async def caught(client: Client) -> MCPError:
        try:
            answer = await question(client)
        except MCPError as error:
            return error
        raise AssertionError(answer)

    return ask(server, caught, era)


def refused(server: Any, uri: str, era: Era = MODERN) -> MCPError:
    """The error that reading an address is answered with."""
    return refusal(server, lambda client: client.read_resource(uri), era)
