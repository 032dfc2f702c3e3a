"""Ids of tools, which work wherever their names do."""

from collections.abc import Iterator
from typing import Any

from toolfold.manifest.tree import PlacedMapping


def ids_of(tree: PlacedMapping) -> dict[str, str]:
    """Id to name: the ids that tools declare, and `server::name` for the others."""
    tools, server = tree.get("tools"), tree.get("server")
    if not isinstance(tools, PlacedMapping):
        return {}
    own = server.get("name") if isinstance(server, PlacedMapping) else None
    return {
        str(tool.get("id") or f"{own}::{name}"): name
        for name, tool in tools.items()
        if isinstance(tool, PlacedMapping)
    }


def name_by_id(tree: PlacedMapping) -> bool:
    """Replace ids of tools by names wherever tools are referred to; whether any was replaced."""
    ids = ids_of(tree)
    is_replaced = False
    for container in _references(tree) if ids else ():
        entries = container.items() if isinstance(container, dict) else enumerate(container)
        for key, value in list(entries):
            if isinstance(value, str) and value in ids:
                container[key] = ids[value]
                is_replaced = True
    return is_replaced


def _references(tree: PlacedMapping) -> Iterator[Any]:
    """Every list or mapping whose values refer to tools, to be changed in place."""
    tools = tree.get("tools")
    for tool in tools.values() if isinstance(tools, PlacedMapping) else ():
        if isinstance(tool, PlacedMapping) and isinstance(tool.get("related"), list):
            yield tool["related"]
    workflows = tree.get("workflows")
    for workflow in workflows if isinstance(workflows, list) else ():
        if isinstance(workflow, PlacedMapping) and isinstance(workflow.get("steps"), list):
            yield workflow["steps"]
    disclosure = tree.get("disclosure")
    if isinstance(disclosure, PlacedMapping) and isinstance(
        disclosure.get("quick_actions"), PlacedMapping
    ):
        yield disclosure["quick_actions"]
