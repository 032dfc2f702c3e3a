"""One task of an agent, done by calls and by one program: what each costs in tokens and round trips.

All open tasks of the last three meetings, with their owners. Run it with `make demo`, or as
`python examples/code.py` after `toolfold generate`.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from toolfold.plan.disclosure.tokens import count

ROOT = Path(__file__).resolve().parents[1]

PROGRAM = """\
lines = []
for meeting in tana_transcript_list(limit=3):
    for task in tana_tagged(supertag="task", field="Meeting", value=meeting["name"]):
        fields = tana_node(node_id=task["id"])["fields"]
        if fields["Status"] == ["open"]:
            lines.append(f"{meeting['name']}: {task['name']} ({', '.join(fields['Assignee'])})")
lines
"""
TOOLS = "tana_transcript_list,tana_tagged,tana_node"


@dataclass
class Bill:
    """What an agent sends and reads, and how often it waits for an answer."""

    tokens: int = 0
    round_trips: int = 0

    async def call(self, client: Client, tool: str, arguments: dict[str, Any]) -> str:
        """The answer to a call, added to the bill with the call itself."""
        result = await client.call_tool(tool, arguments)
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        if result.is_error:
            raise SystemExit(f"{tool}: {text}")
        self.tokens += count(f"{tool}{json.dumps(arguments, ensure_ascii=False)}") + count(text)
        self.round_trips += 1
        return text

    async def read(self, client: Client, tool: str, **arguments: object) -> Any:
        """The result of a tool that reads."""
        given = {"tool": tool, "arguments": arguments}
        return json.loads(await self.call(client, "tana_run_read", given))


async def by_calls(client: Client) -> tuple[Bill, list[str]]:
    """The task as an agent does it that knows the tools well: no call that is not needed."""
    bill, lines = Bill(), []
    await bill.call(client, "tana_tool_schema", {"tool": TOOLS})
    opened = await bill.read(client, "tana_tagged", supertag="task", field="Status", value="open")
    is_open = {task["id"] for task in opened}
    for meeting in await bill.read(client, "tana_transcript_list", limit=3):
        of_meeting = {"supertag": "task", "field": "Meeting", "value": meeting["name"]}
        for task in await bill.read(client, "tana_tagged", **of_meeting):
            if task["id"] in is_open:
                node = await bill.read(client, "tana_node", node_id=task["id"])
                owners = ", ".join(node["fields"]["Assignee"])
                lines.append(f"{meeting['name']}: {task['name']} ({owners})")
    return bill, lines


async def by_code(client: Client) -> tuple[Bill, list[str]]:
    """The same task as one program, after the functions that it calls."""
    bill = Bill()
    await bill.call(client, "tana_tool_schema", {"tool": TOOLS, "detail": "stub"})
    answer = await bill.call(client, "tana_run_code", {"code": PROGRAM})
    return bill, json.loads(answer)["result"]


async def compare() -> tuple[Bill, Bill]:
    """Do the task both ways on one server, and print what each costs."""
    with tempfile.TemporaryDirectory() as folder:
        async with Client(_server(Path(folder))) as client:
            calls, lines = await by_calls(client)
            code, same = await by_code(client)
    if lines != same:
        raise SystemExit("the two ways do not agree")
    print("task: all open tasks of the last three meetings with their owners")
    print("".join(f"  {line}\n" for line in same), end="")
    print(f"  {'':<10} {'tokens':>7} {'round trips':>12}")
    for name, bill in (("by calls", calls), ("by code", code)):
        print(f"  {name:<10} {bill.tokens:>7,} {bill.round_trips:>12}")
    print(f"  {'ratio':<10} {code.tokens / calls.tokens:>7.2f}")
    return calls, code


def _server(folder: Path) -> StdioServerParameters:
    """The Tana server with code mode switched on, generated into a folder of its own."""
    text = (ROOT / "tools.yaml").read_text(encoding="utf-8")
    text = text.replace("disclosure:\n", "disclosure:\n  code: read\n", 1)
    text = text.replace("examples.tana.workspace:Workspace", "workspace:Workspace")
    (folder / "tools.yaml").write_text(text, encoding="utf-8")
    wanted = "from examples.tana.workspace import Workspace\n"
    (folder / "workspace.py").write_text(wanted, encoding="utf-8")
    command = [sys.executable, "-m", "toolfold", "generate", "--quiet"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "tana_mcp.server", "--exposure", "progressive"],
        env={**os.environ, "PYTHONPATH": f"{folder / 'generated'}{os.pathsep}{ROOT}"},
        cwd=ROOT,
    )


if __name__ == "__main__":
    asyncio.run(compare())
