"""Clients written by others, each asked for the same sessions in the way that is its own."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests.clients.environments import interpreter, is_installed
from tests.clients.inspector import calling, result_of, run_inspector
from tests.clients.node import run_node
from tests.clients.programs.report import answer
from tests.clients.typescript import session
from tests.support.commands import Result, run
from tests.support.projects import ROOT

Json = dict[str, Any]
#: Sessions by name, as programs/report.py has them: what is asked, and what was seen.
Sessions = dict[str, Json]

PROGRAMS: Final = Path(__file__).parent / "programs"
#: No library calls home from a test.
_QUIET: Final = {"MCP_USE_ANONYMIZED_TELEMETRY": "false", "OPENAI_AGENTS_DISABLE_TRACING": "1"}


def _python(library: str, asked: Sessions, home: Path) -> Sessions:
    """Sessions of a Python library, held by its program in its environment."""
    if not is_installed(library):
        pytest.fail(f"no environment of {library}: `make test-all` installs what is missing")
    program = ("-m", f"tests.clients.programs.{library}")
    environment = {**_QUIET, "HOME": str(home)}
    return _reported(
        run(
            ROOT,
            str(interpreter(library)),
            *program,
            stdin=json.dumps(asked),
            environment=environment,
        )
    )


def _ai(asked: Sessions, home: Path) -> Sessions:
    script = (PROGRAMS / "ai.mjs").read_text(encoding="utf-8")
    return _reported(
        run_node("--input-type=module", "-", json.dumps(asked), home=home, script=script)
    )


def _typescript(package: str, asked: Sessions, home: Path) -> Sessions:
    sessions = {
        name: session(package, one["target"], one["calls"], home) for name, one in asked.items()
    }
    return {
        name: {
            "tools": {tool["name"]: tool["inputSchema"] for tool in seen["tools"]},
            "strict": {},
            "answers": {label: _answer(result) for label, result in seen["answers"].items()},
        }
        for name, seen in sessions.items()
    }


def _inspector(asked: Sessions, home: Path) -> Sessions:
    """Sessions of a program that connects anew for every call."""
    seen = {}
    for name, one in asked.items():
        target = _inspected(one["target"])
        listed = result_of(run_inspector(*target, method="tools/list", home=home))
        answers = {}
        for label, call in one["calls"].items():
            done = run_inspector(*calling(*call), *target, method="tools/call", home=home)
            answers[label] = _answer(result_of(done))
        tools = {tool["name"]: tool["inputSchema"] for tool in listed["tools"]}
        seen[name] = {"tools": tools, "strict": {}, "answers": answers}
    return seen


def _inspected(target: Json) -> list[str]:
    if "url" in target:
        return [target["url"], "--transport", "http"]
    variables = [word for item in target["env"].items() for word in ("-e", "=".join(item))]
    module, options = target["args"][:2], target["args"][2:]
    # It hands on to the server what follows the dashes.
    return [*variables, target["command"], *module, "--", *options]


def _reported(done: Result) -> Sessions:
    assert done.code == 0, done.text
    seen: Sessions = json.loads(done.out)
    return seen


def _answer(result: Json) -> Json:
    return answer(
        result["content"],
        is_error=result.get("isError", False),
        structured=result.get("structuredContent"),
    )


#: Every client by name: what it saw of the sessions that it was asked for.
CLIENTS: Final[dict[str, Callable[[Sessions, Path], Sessions]]] = {
    "fastmcp": partial(_python, "fastmcp"),
    "langchain": partial(_python, "langchain"),
    "openai_agents": partial(_python, "openai_agents"),
    "pydantic_ai": partial(_python, "pydantic_ai"),
    "llama_index": partial(_python, "llama_index"),
    "mcp_use": partial(_python, "mcp_use"),
    "google_adk": partial(_python, "google_adk"),
    "typescript_1": partial(_typescript, "sdk"),
    "typescript_2": partial(_typescript, "client"),
    "ai": _ai,
    "inspector": _inspector,
}
