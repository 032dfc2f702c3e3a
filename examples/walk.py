"""A real client walks the disclosure path of the generated Tana server and counts the tokens.

Run it with `make demo`, or as `python examples/walk.py` after `toolfold generate`.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent, Tool
from toolfold.plan.disclosure.tokens import count

ROOT = Path(__file__).resolve().parents[1]

TASKS: dict[str, list[tuple[str, str, dict[str, object]]]] = {
    "find my notes about onboarding": [
        ("tana_run_read", "tana_search", {"query": "onboarding", "limit": 3}),
    ],
    "add a task for Ada": [
        ("tana_run_read", "tana_supertag_info", {"supertag": "task"}),
        ("tana_run_write", "tana_create", {"name": "Call Ada", "supertags": ["task"]}),
    ],
    "sum up the last meeting": [
        ("tana_run_read", "tana_transcript_list", {"limit": 1}),
        ("tana_run_read", "tana_transcript_show", {"meeting_id": "LAST", "limit": 20}),
    ],
}


async def walk() -> None:
    """List, inventory, schemas, calls: what each step costs beside listing everything."""
    everything = await _everything()
    print(f"every tool and two meta-tools listed: {everything} tokens\n")
    async with _client("progressive") as client:
        listed = (await client.list_tools()).tools
        surface = sum(_listed_tokens(tool) for tool in listed)
        _step(f"tools/list: {len(listed)} meta-tools", surface, "")
        inventory = await _text(client, "tana_capabilities", {})
        _step("tana_capabilities()", count(inventory), inventory)
        start = surface + count(inventory)
        print(f"  {'to start with':<46} {start:>5}  {start / everything:.0%} of everything\n")
        for task, steps in TASKS.items():
            await _task(client, task, steps)
        wrong = await client.call_tool(
            "tana_run_read", {"tool": "tana_search", "arguments": {"qery": "onboarding"}}
        )
        print("a call that is wrong is answered with the way out:")
        print(_indented(_first_text(wrong)))


async def _everything() -> int:
    async with _client("direct") as client:
        return sum(_listed_tokens(tool) for tool in (await client.list_tools()).tools)


async def _task(client: Client, task: str, steps: list[tuple[str, str, dict[str, object]]]) -> None:
    """Ask for the schemas that a task needs, then call."""
    print(f"task: {task}")
    needed = ", ".join(dict.fromkeys(tool for _, tool, _ in steps))
    schemas = await _text(client, "tana_tool_schema", {"tool": needed})
    _step(f'tana_tool_schema("{needed}")', count(schemas), "")
    last = ""
    for runner, tool, arguments in steps:
        given = {key: last if value == "LAST" else value for key, value in arguments.items()}
        answer = await _text(client, runner, {"tool": tool, "arguments": given})
        _step(f"{runner}: {tool}", count(answer), answer)
        result = json.loads(answer)
        last = result[0].get("id", "") if isinstance(result, list) and result else last
    print()


def _client(exposure: str) -> Client:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tana_mcp.server", "--exposure", exposure],
        env={**os.environ, "PYTHONPATH": str(ROOT / "generated")},
        cwd=ROOT,
    )
    return Client(server)


async def _text(client: Client, tool: str, arguments: dict[str, object]) -> str:
    result = await client.call_tool(tool, arguments)
    text = _first_text(result)
    if result.is_error:
        raise SystemExit(f"{tool}: {text}")
    return text


def _first_text(result: CallToolResult) -> str:
    return next(part.text for part in result.content if isinstance(part, TextContent))


def _listed_tokens(tool: Tool) -> int:
    shown = {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
    return count(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))


def _step(name: str, tokens: int, text: str) -> None:
    shown = text[:50] + ("…" if len(text) > 50 else "")
    print(f"  {name[:46]:<46} {tokens:>5}  {shown}")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


if __name__ == "__main__":
    asyncio.run(walk())
