"""Tools that report progress, hang and are cancelled, served over HTTP."""

from typing import Final

from tests.support.projects import Json

TOOL: Final[Json] = {"category": "all", "effect": "read", "summary": "Do it"}
TOOLS: Final[dict[str, Json]] = {
    "count": TOOL | {"parameters": {"words": {"type": "object"}}},
    "count_blocked": TOOL,
    "quick": TOOL | {"parameters": {"text": {"type": "string"}, "progressToken": {}}},
    "hang": TOOL,
    "hang_blocked": TOOL,
    "late": TOOL | {"timeout": 0.2},
    "gated": TOOL | {"cache": {"ttl": 60}},
    "tasks": TOOL,
    "who": TOOL,
}
IMPLEMENTATION: Final = '''
import asyncio, os, sys, time
from toolfold_runtime import caller, is_cancelled, progress


def say(word):
    print(word, file=sys.stderr, flush=True)


class Tools:
    async def count(self, params):
        for number in range(1, 21):
            progress(number, 20, f"step {number}")
            await asyncio.sleep(0)
        return "counted"

    def count_blocked(self, params):
        for number in range(1, 21):
            progress(number)
        return "counted"

    async def quick(self, params):
        return f"{len(params.text or '')} characters"

    async def hang(self, params):
        say("hang begins")
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            say("hang is cancelled")
            raise

    def hang_blocked(self, params):
        say("hang_blocked begins")
        while not is_cancelled():
            time.sleep(0.01)
        say("hang_blocked is cancelled")

    async def late(self, params):
        progress(1)
        await asyncio.sleep(1000)

    async def gated(self, params):
        """Ends when it is told to, and says so if it ends before."""
        say("gated begins")
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(os.environ["GATE"]))
            await reader.read(1)
            writer.close()
        except asyncio.CancelledError:
            say("gated is cancelled")
            raise
        return "opened"

    async def tasks(self, params):
        """How many tasks there are, of the server and of all calls."""
        return len(asyncio.all_tasks())

    def who(self, params):
        progress(1)
        return caller().client
'''
VERIFIER: Final = """
import os
from mcp.server.auth.provider import AccessToken

class Verifier:
    async def verify_token(self, token):
        if token == "right":
            return AccessToken(token=token, client_id="c", scopes=[], resource=os.environ["HERE"])

verifier = Verifier()
"""
