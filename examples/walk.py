"""A real client walks the disclosure path of the generated Tana server and counts the tokens.

Run it with `make demo`, or as `python examples/walk.py` after `toolfold generate`.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from toolfold.plan.tokens import count

ROOT = Path(__file__).resolve().parents[1]


async def walk() -> None:
    """List, inventory, schema, call: what each step costs beside loading everything."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tana_mcp.server"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "generated")},
        cwd=ROOT,
    )
    async with Client(server) as client:
        listed = (await client.list_tools()).tools
        everything = sum(_listed_tokens(tool) for tool in listed)
        meta = [tool for tool in listed if tool.name.endswith(("_capabilities", "_tool_schema"))]
        print(f"all {len(listed)} tools with their schemas: {everything} tokens\n")
        print("the disclosure path:")
        spent = _step("meta-tools listed", sum(_listed_tokens(tool) for tool in meta), "")
        inventory = await _text(client, "tana_capabilities", {})
        spent += _step("tana_capabilities()", count(inventory), inventory)
        schema = await _text(client, "tana_tool_schema", {"tool": "tana_search"})
        spent += _step('tana_tool_schema("tana_search")', count(schema), schema)
        print(f"  {'ready to call':<34} {spent:>6}  {spent / everything:.0%} of everything\n")
        arguments = {"query": "onboarding", "limit": 2}
        answer = await _text(client, "tana_search", arguments)
        _step(f"tana_search({json.dumps(arguments)})", count(answer), answer)
        wrong = await client.call_tool("tana_search", {"qery": "onboarding"})
        print("\na call that is wrong is answered with the way out:")
        print(_indented(wrong.content[0].text))  # type: ignore[union-attr]  # text by contract


async def _text(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    result = await client.call_tool(tool, arguments)
    text: str = result.content[0].text  # type: ignore[union-attr]  # text by contract
    if result.is_error:
        raise SystemExit(f"{tool}: {text}")
    return text


def _listed_tokens(tool: Any) -> int:
    shown = {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
    return count(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))


def _step(name: str, tokens: int, text: str) -> int:
    print(f"  {name:<34} {tokens:>6}  {text[:60]}{'…' if len(text) > 60 else ''}")
    return tokens


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


if __name__ == "__main__":
    asyncio.run(walk())
