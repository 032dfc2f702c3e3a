"""One call in every way that somebody may make it: an agent, code, a shell."""

import shlex
from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.plan.text.escape import hidden_escaped, json_text, markdown_fence, python_value

_LINE: Final = 48  # JSON that fits a narrow column is shown on one line
_PYTHON_LINE: Final = 80
_URL: Final = "http://127.0.0.1:8000/mcp"
_PYTHON: Final = f"""\
import asyncio

from mcp import Client


async def main() -> None:
    async with Client("{_URL}") as client:
        result = CALL
        print(result)


asyncio.run(main())"""
_TYPESCRIPT: Final = f"""\
import {{ Client, StreamableHTTPClientTransport }} from "@modelcontextprotocol/client";

const client = new Client({{ name: "example", version: "1.0.0" }});
await client.connect(new StreamableHTTPClientTransport(new URL("{_URL}")));
CALL
console.log(result);
await client.close();"""


def call_blocks(name: str, arguments: Json, callee: str, given: Json) -> list[str]:
    """Blocks of code below their titles: the tool is called by its name, or by that of a runner.

    `callee` and `given` are what clients send; `name` and `arguments` the tool's own.
    """
    return [
        f"**{title}**\n\n{markdown_fence(text, language)}"
        for title, language, text in _calls(name, arguments, callee, given)
    ]


def agent_call(callee: str, given: Json) -> str:
    """The call as an agent makes it."""
    return readable({"name": callee, "arguments": given})


def readable(value: object) -> str:
    """JSON on one line where that is short, else indented."""
    line = json_text(value)
    return line if len(line) <= _LINE else json_text(value, indent=2)


def _calls(name: str, arguments: Json, callee: str, given: Json) -> Iterator[tuple[str, str, str]]:
    yield "Agent", "json", agent_call(callee, given)
    yield "Python", "python", _python(callee, given)
    yield "TypeScript", "typescript", _typescript(callee, given)
    yield "curl", "console", _curl(callee, given)
    yield "Shell", "console", f"toolfold try {name} {_quoted(json_text(arguments))}"


def _python(callee: str, given: Json) -> str:
    """A program that can be pasted, laid out as formatters do, so that theirs and ours never differ."""
    call = f"await client.call_tool({python_value(callee)}, {python_value(given)})"
    if len(call) > _PYTHON_LINE - len("        result = "):
        parts = f"            {python_value(callee)},\n            {python_value(given, deep=3)},\n"
        call = f"await client.call_tool(\n{parts}        )"
    return _PYTHON.replace("CALL", call)


def _typescript(callee: str, given: Json) -> str:
    call = f"const result = await client.callTool({agent_call(callee, given)});"
    return _TYPESCRIPT.replace("CALL", hidden_escaped(call))


def _curl(callee: str, given: Json) -> str:
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": callee, "arguments": given},
    }
    return (
        f"curl -s {_URL} \\\n  -H 'Content-Type: application/json' \\\n"
        "  -H 'Accept: application/json, text/event-stream' \\\n"
        f"  -d {_quoted(json_text(request))}"
    )


def _quoted(text: str) -> str:
    """JSON as one word for a shell."""
    return shlex.quote(hidden_escaped(text))
