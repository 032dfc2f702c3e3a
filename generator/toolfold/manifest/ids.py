"""Ids of tools, accepted wherever a manifest refers to a tool by name."""

from collections.abc import Iterable, Iterator
from typing import Any

from toolfold.manifest.tree import PlacedMapping


def ids_of(tree: PlacedMapping) -> dict[str, str]:
    """Id to name: the ids that tools declare, and `server::name` for the others."""
    tools, server = tree.get("tools"), tree.get("server")
    if not isinstance(tools, PlacedMapping):
        return {}
    server_name = server.get("name") if isinstance(server, PlacedMapping) else None
    return {
        str(tool.get("id") or f"{server_name}::{name}"): name
        for name, tool in tools.items()
        if isinstance(tool, PlacedMapping)
    }


def name_by_id(tree: PlacedMapping) -> bool:
    """Replace ids of tools by names wherever tools are referred to; whether any was replaced."""
    ids = ids_of(tree)
    is_replaced = False
    for container, keys in _references(tree) if ids else ():
        for key in keys:
            value = container[key]
            if isinstance(value, str) and value in ids:
                container[key] = ids[value]
                is_replaced = True
    return is_replaced


def _references(tree: PlacedMapping) -> Iterator[tuple[Any, Iterable[Any]]]:
    """Every list or mapping with values that refer to tools, to be changed in place, and their keys."""
    tools = tree.get("tools")
    for tool in tools.values() if isinstance(tools, PlacedMapping) else ():
        if isinstance(tool, PlacedMapping):
            if isinstance(tool.get("related"), list):
                yield tool["related"], range(len(tool["related"]))
            if isinstance(tool.get("deprecated"), PlacedMapping) and "use" in tool["deprecated"]:
                yield tool["deprecated"], ("use",)
    workflows = tree.get("workflows")
    for workflow in workflows if isinstance(workflows, list) else ():
        if isinstance(workflow, PlacedMapping) and isinstance(workflow.get("steps"), list):
            yield workflow["steps"], range(len(workflow["steps"]))
    for key in ("prompts", "resources"):
        entries = tree.get(key)
        for entry in entries.values() if isinstance(entries, PlacedMapping) else ():
            if isinstance(entry, PlacedMapping) and "tool" in entry:
                yield entry, ("tool",)
    disclosure = tree.get("disclosure")
    if isinstance(disclosure, PlacedMapping) and isinstance(
        disclosure.get("quick_actions"), PlacedMapping
    ):
        yield disclosure["quick_actions"], list(disclosure["quick_actions"])
