"""Exports to sync the workspace with."""

from typing import Any

from tests.support.projects import ROOT

SAMPLE = ROOT / "examples" / "tana" / "sample.json"


def node(node_id: str, **more: Any) -> dict[str, Any]:
    moments = {"created": "2026-01-01T00:00:00Z", "updated": "2026-01-02T00:00:00Z"}
    return {"id": node_id, "name": node_id.upper(), **moments, **more}


def export_of(nodes: list[dict[str, Any]], supertags: tuple[str, ...] = ("t",)) -> dict[str, Any]:
    defined = [{"name": name} for name in supertags]
    return {"format": "tana-export", "version": 1, "supertags": defined, "nodes": nodes}
