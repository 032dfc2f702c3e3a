"""A tool's id works wherever its name does."""

from collections.abc import Iterator
from typing import Any

from toolfold.manifest.tree import Mapping


def ids_of(tree: Mapping) -> dict[str, str]:
    """Id to name: the ids that tools declare, and `server::name` for the others."""
    tools, server = tree.get("tools"), tree.get("server")
    if not isinstance(tools, Mapping):
        return {}
    own = server.get("name") if isinstance(server, Mapping) else None
    return {
        str(tool.get("id") or f"{own}::{name}"): name
        for name, tool in tools.items()
        if isinstance(tool, Mapping)
    }


def name_by_id(tree: Mapping) -> bool:
    """Put names where related tools, workflows and quick actions say ids; whether any did."""
    ids = ids_of(tree)
    found = False
    for holder in _holders(tree) if ids else ():
        places = holder if isinstance(holder, dict) else range(len(holder))
        for place in list(places):
            if isinstance(holder[place], str) and holder[place] in ids:
                holder[place] = ids[holder[place]]
                found = True
    return found


def _holders(tree: Mapping) -> Iterator[Any]:
    """Every list or mapping whose values name tools."""
    tools = tree.get("tools")
    for tool in tools.values() if isinstance(tools, Mapping) else ():
        if isinstance(tool, Mapping) and isinstance(tool.get("related"), list):
            yield tool["related"]
    workflows = tree.get("workflows")
    for workflow in workflows if isinstance(workflows, list) else ():
        if isinstance(workflow, Mapping) and isinstance(workflow.get("steps"), list):
            yield workflow["steps"]
    disclosure = tree.get("disclosure")
    if isinstance(disclosure, Mapping) and isinstance(disclosure.get("quick_actions"), Mapping):
        yield disclosure["quick_actions"]
