"""Tools that know who calls, a verifier that believes what a token says, and those tokens."""

import base64
import json
import re
from typing import Any, Final

import mcp_types as types

from tests.support.projects import Json


def tool(effect: str = "read", **fields: Any) -> Json:
    return {"category": "all", "effect": effect, "summary": "One", **fields}


NUMBER: Final = {"n": {"type": "integer", "required": True}}
ID: Final = {"id": {"type": "string", "required": True}, "note": {"type": "string"}}
TOOLS: Final = {
    "who": tool(),
    "who_blocking": tool(),
    "mine": tool(cache={"ttl": 60}, parameters=NUMBER),
    "same": tool(cache={"ttl": 60, "shared": True}, parameters=NUMBER),
    "slow": tool(cache={"ttl": 60}, parameters=NUMBER),
    "list_mine": tool(cache={"ttl": 60}, parameters=NUMBER, budget=60),
    "list_same": tool(cache={"ttl": 60, "shared": True}, parameters=NUMBER, budget=60),
    "order": tool("write", scopes=["orders:read", "orders:write"], parameters=ID),
    "list_orders": tool(scopes=["orders:read"], budget=60),
    "cancel": tool("destructive", title="Cancel an order", confirm="ask", parameters=ID),
    "erase": tool("destructive", title="Erase an order", confirm="require", parameters=ID),
    "peek": tool(confirm="require", cache={"ttl": 60}, parameters=ID),
    "guarded_erase": tool("write", confirm="require", scopes=["orders:write"], parameters=ID),
    "anything": tool(
        "write",
        confirm="ask",
        input_schema={"type": "object", "properties": {"path": {"type": "string"}}},
    ),
    "runs": tool(parameters={"id": {"type": "string", "required": True}}),
}
IMPLEMENTATION: Final = """
import asyncio, dataclasses, threading
from collections import Counter

from toolfold_runtime import caller


class Tools:
    def __init__(self):
        self.runs_of = Counter()
        self.count = 0

    async def who(self, params):
        await asyncio.sleep(0)
        return _shown(caller())

    def who_blocking(self, params):
        return _shown(caller())

    async def mine(self, params):
        self.count += 1
        return {"subject": caller().subject, "n": params.n, "count": self.count}

    same = mine

    async def slow(self, params):
        await asyncio.sleep(0.01)
        return await self.mine(params)

    def list_mine(self, params):
        return [f"{caller().subject} {params.n} {i}" for i in range(40)]

    list_same = list_mine

    def list_orders(self, params):
        return [f"{caller().subject} {i}" for i in range(40)]

    def order(self, params):
        self.runs_of[params.id] += 1
        return f"ran {params.id}"

    cancel = erase = peek = guarded_erase = order

    def anything(self, params):
        return "ran"

    def runs(self, params):
        return self.runs_of[params.id]


def _shown(who):
    return {field.name: getattr(who, field.name) for field in dataclasses.fields(who)}
"""
VERIFIER: Final = """
import base64, json, os
from mcp.server.auth.provider import AccessToken


class Verifier:
    async def verify_token(self, token):
        try:
            said = json.loads(base64.urlsafe_b64decode(token))
        except ValueError:
            return None
        return AccessToken(token=token, resource=os.environ["HERE"], **said)


verifier = Verifier()
"""


def token_of(subject: str | None = "ada", *scopes: str, client: str = "desk", **claims: Any) -> str:
    """A token of a subject with scopes and claims."""
    said = {"client_id": client, "subject": subject, "scopes": list(scopes), "claims": claims}
    return base64.urlsafe_b64encode(json.dumps(said).encode()).decode()


YES: Final = types.ElicitResult(action="accept", content={"confirm": True})


class User:
    """Whoever a client asks; answers the same each time and remembers the questions."""

    def __init__(self, answer: Any = YES) -> None:
        self.answer = answer
        self.questions: list[str] = []

    async def __call__(self, _: Any, params: types.ElicitRequestParams) -> Any:
        assert isinstance(params, types.ElicitRequestFormParams)
        assert params.requested_schema["type"] == "object"
        self.questions.append(params.message)
        return self.answer


def cursor_in(text: str) -> str:
    """The cursor in an answer that was truncated."""
    cursors = re.findall(r'"cursor":"([^"]+)"', text)
    assert cursors, text
    return str(cursors[0])
