"""Manifests of a wanted size, drawn from the real catalogs that lie beside the project."""

import json
import random
from pathlib import Path
from typing import Any

CATALOGS = Path(__file__).resolve().parents[2] / "shared" / "bench" / "catalogs"
SEED = 20261116


def all_tools() -> list[dict[str, Any]]:
    """Every real tool, each server's name qualified by its catalog so that ids stay unique."""
    tools = []
    for file in sorted(CATALOGS.glob("*.json")):
        for tool in json.loads(file.read_bytes())["tools"]:
            tools.append(tool | {"server": f"{file.stem}.{tool['server']}"})
    if not tools:
        raise SystemExit(f"no catalogs in {CATALOGS}")
    return tools


def draw(count: int, folder: Path) -> Path:
    """A saved tool list of `count` tools in `folder`; the same ones every time."""
    tools = random.Random(SEED).sample(all_tools(), count)
    path = folder / "drawn.json"
    path.write_text(json.dumps({"name": "drawn", "tools": tools}), encoding="utf-8")
    return path
