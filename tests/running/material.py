"""Servers to run tools of, made where a test wants them."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from toolfold_runtime import ToolError
from toolfold_runtime.disclosure.dispatch import Dispatcher, Reply
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.call import CallContext
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.notifications import Report

from tests.support.projects import Json, Project, project

Answer = TypeVar("Answer")

__all__ = ["Json", "Returns", "Served", "tool"]


def tool(**fields: Any) -> Json:
    """A reading tool that takes and returns anything, unless it is said otherwise."""
    return {"category": "all", "effect": "read", "summary": "One", **fields}


class Returns:
    """Every tool returns the same."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __getattr__(self, name: str) -> Any:
        return lambda params: self._value


class Served:
    """Tools and what carries them out, called in this process through the one door of calls."""

    def __init__(self, folder: Path, tools: dict[str, Json], **manifest: Any) -> None:
        given = {
            "toolfold": 1,
            "server": {"name": "running", "version": "1"},
            "categories": {"all": {}},
            "tools": tools,
            **manifest,
        }
        self.project: Project = project(folder, given)
        self.project.server()  # makes the package importable

    def dispatcher(self, implementation: object) -> Dispatcher:
        catalog = self.project.catalog
        return Dispatcher(catalog, {}, Executor(catalog, backend_of(catalog, implementation)))

    def call(self, implementation: object, name: str, arguments: Json | None = None) -> Reply:
        """The answer to one call; ToolError where it failed."""
        return self.run(implementation, lambda door: door.call(name, arguments or {}))

    def run(
        self, implementation: object, calls: Callable[[Dispatcher], Awaitable[Answer]]
    ) -> Answer:
        """What a coroutine that makes calls returns."""

        async def inside() -> Answer:
            return await calls(self.dispatcher(implementation))

        return asyncio.run(inside())


async def outcome(
    door: Dispatcher, name: str, arguments: Json, report: Report | None = None
) -> str:
    """`ok`, or the code of the error."""
    try:
        await door.call(name, arguments, CallContext(report=report))
    except ToolError as error:
        return error.code
    return "ok"


def value_of(reply: Reply) -> Any:
    """The result in the first text."""
    return json.loads(reply.texts[0])
