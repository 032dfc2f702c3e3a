"""Runs of the official Inspector's command line, each with a connection of its own."""

import json
from pathlib import Path
from typing import Any

from tests.clients.node import program, run_node
from tests.support.commands import Result

Json = dict[str, Any]


def run_inspector(*arguments: str, method: str, home: Path) -> Result:
    """A finished run that asked for one method."""
    options = ("--cli", "--format", "json", "--method", method)
    return run_node(program("inspector"), *options, *arguments, home=home)


def calling(tool: str, arguments: Json) -> tuple[str, ...]:
    """The options that name a call."""
    return ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))


def result_of(done: Result) -> Json:
    """What the server answered, an error of a tool included."""
    result: Json = json.loads(done.out)["result"]
    return result
