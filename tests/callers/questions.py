"""Tools whose methods ask the user, in every way that a method can."""

import itertools
from typing import Any, Final

import mcp_types as types

from tests.callers.material import tool

WORD: Final = {"word": {"type": "string", "required": True}}
CACHED: Final = {"ttl": 60, "shared": True}
TOOLS: Final = {
    "greet": tool(parameters=WORD),
    "greet_blocking": tool(parameters=WORD),
    "greet_returned": tool(parameters=WORD),
    "greet_elsewhere": tool(parameters=WORD),
    "two": tool(parameters=WORD),
    "at_once": tool(parameters=WORD),
    "both": tool("write", parameters=WORD, confirm="require"),
    "cached": tool(parameters=WORD, cache=CACHED),
    "swallows": tool(parameters=WORD),
    "swallows_all": tool(parameters=WORD),
    "groups": tool(parameters=WORD),
    "catches": tool(parameters=WORD),
    "twice": tool(parameters=WORD),
    "later": tool(parameters=WORD),
    "numbers": tool(parameters=WORD),
    "runs": tool(parameters=WORD),
    "quick": tool(),
    "hurried": tool(parameters=WORD, timeout=1),
    "hurried_blocking": tool(parameters=WORD, timeout=1),
}
IMPLEMENTATION: Final = """
import asyncio
from collections import Counter

from toolfold_runtime import UnansweredError, ask, ask_blocking

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
NUMBERS = {
    "type": "object",
    "properties": {"count": {"type": "integer"}, "when": {"type": "string", "format": "date"}},
}


class Tools:
    def __init__(self):
        self.runs_of = Counter()

    def _begin(self, params):
        self.runs_of[params.word] += 1

    async def greet(self, params):
        self._begin(params)
        said = await ask("Who are you?", NAME, name="who")
        return f"{params.word}, {said['name']}" if said else "nobody"

    def greet_blocking(self, params):
        self._begin(params)
        said = ask_blocking("Who are you?", NAME, name="who")
        return f"{params.word}, {said['name']}" if said else "nobody"

    def greet_returned(self, params):
        return self.greet(params)

    def greet_elsewhere(self, params):
        return asyncio.run(self.greet(params))

    async def two(self, params):
        self._begin(params)
        first = await ask("Who are you?", NAME, name="who")
        second = await ask(f"Who is with {first['name']}?", NAME, name="with")
        return f"{first['name']} and {second['name'] if second else 'nobody'}"

    both = two

    async def at_once(self, params):
        questions = (ask("Who?", NAME, name=name) for name in ("a", "b", "c"))
        return [said["name"] for said in await asyncio.gather(*questions)]

    async def groups(self, params):
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(ask("Who?", NAME, name=name)) for name in ("a", "b")]
        return [task.result()["name"] for task in asked]

    cached = hurried = greet
    hurried_blocking = greet_blocking

    async def swallows(self, params):
        try:
            return await self.greet(params)
        except Exception:
            return "swallowed"

    def swallows_all(self, params):
        try:
            return self.greet_blocking(params)
        except:
            return "swallowed"

    async def catches(self, params):
        try:
            return await self.greet(params)
        except UnansweredError as error:
            return f"did without: {error.reason}"

    async def twice(self, params):
        await ask("Who?", NAME)
        return await ask("Who?", NAME)

    async def later(self, params):
        self.left = asyncio.create_task(ask("Who?", NAME))
        return "not waited for"

    async def numbers(self, params):
        return await ask("How many?", NUMBERS, name="many")

    def runs(self, params):
        return self.runs_of[params.word]

    async def quick(self, params):
        return "quick"
"""

WORDS: Final = (f"word-{number}" for number in itertools.count())


def accept(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


class People:
    """A user who gives these answers, one after another and the last for ever."""

    def __init__(self, *answers: Any) -> None:
        self.questions: list[str] = []
        self.forms: list[dict[str, Any]] = []
        self._answers = list(answers) or [accept(name="Ada")]

    async def __call__(self, _: Any, params: types.ElicitRequestParams) -> Any:
        assert isinstance(params, types.ElicitRequestFormParams)
        self.questions.append(params.message)
        self.forms.append(params.requested_schema)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
