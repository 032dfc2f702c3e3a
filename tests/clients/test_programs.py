"""Programs, as the TypeScript clients from npm run them."""

import json
from pathlib import Path

import pytest

from tests.clients.typescript import CLIENTS, session
from tests.code.material import IMPLEMENTATION, MANIFEST, TOOLS
from tests.support.projects import served_by
from tests.support.servers import listening

CALLS = {
    "stub": ("tool_schema", {"tool": "get-order", "detail": "stub"}),
    "program": ("run_code", {"code": "[row['id'] for row in find_orders(limit=2)]"}),
    "mistake": ("run_code", {"code": "find_orders(limt=2)"}),
    "long": ("run_code", {"code": "many(count=400)"}),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_of_others_runs_programs(client: str, tmp_path: Path) -> None:
    with listening(served_by(tmp_path, TOOLS, IMPLEMENTATION, **MANIFEST)) as server:
        seen = session(client, {"url": server.url}, CALLS, tmp_path)

    hints = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in seen["tools"]}
    assert (hints["run_code"], hints["run_code_write"]) == (True, False)
    texts = {name: answer["content"][0]["text"] for name, answer in seen["answers"].items()}
    assert "def get_order(*, order_id: str, from_: str = ...) -> Order:" in texts["stub"]
    assert json.loads(texts["program"]) == {"result": ["A-0", "A-1"], "calls": 1}
    assert texts["mistake"].startswith("invalid_program: nothing was called.\nline 1: ")
    assert '"cursor":' in seen["answers"]["long"]["content"][1]["text"]
