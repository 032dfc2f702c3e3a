"""A tool's id works wherever its name does."""

from collections.abc import Iterator
from typing import Any

from toolfold.manifest.tree import Mapping


def ids_of(tools: Any) -> dict[str, str]:
    """Id to name, of the tools that declare an id."""
    if not isinstance(tools, Mapping):
        return {}
    return {
        tool["id"]: name
        for name, tool in tools.items()
        if isinstance(tool, Mapping) and isinstance(tool.get("id"), str)
    }


def name_by_id(tree: Mapping) -> None:
    """Put names where related tools, workflows and quick actions say ids."""
    ids = ids_of(tree.get("tools"))
    for holder in _holders(tree) if ids else ():
        places = holder if isinstance(holder, dict) else range(len(holder))
        for place in list(places):
            if isinstance(holder[place], str):
                holder[place] = ids.get(holder[place], holder[place])


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
