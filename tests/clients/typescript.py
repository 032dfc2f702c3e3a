"""Sessions of the two TypeScript clients from npm."""

import json
from pathlib import Path
from typing import Any, Final

from tests.clients.node import run_node

Json = dict[str, Any]

#: The package, and the newest protocol that it speaks.
CLIENTS: Final = {"sdk": "2025-11-25", "client": "2026-07-28"}
SCRIPT: Final = Path(__file__).parent / "session.mjs"


def session(client: str, target: Json, calls: dict[str, tuple[str, Json]], home: Path) -> Json:
    """What one client saw in one session."""
    asked = json.dumps({"client": client, "target": target, "calls": calls})
    script = SCRIPT.read_text(encoding="utf-8")
    done = run_node("--input-type=module", "-", asked, home=home, script=script)
    assert done.code == 0, done.err
    seen: Json = json.loads(done.out)
    return seen
