"""The definitions of upstream tools as they were imported: what overlays change is no part of them."""

from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.manifest.tree import PlacedMapping, plain

# What the protocol calls the keys of an imported tool.
_FIELDS: Final = {
    "title": "title",
    "description": "description",
    "input_schema": "inputSchema",
    "output_schema": "outputSchema",
    "annotations": "annotations",
}


def imported_definitions(tree: PlacedMapping) -> dict[str, Json]:
    """Tool to its definition in the protocol's form, for tools that were imported from upstream servers.

    Those are the tools with a foreign schema whose `id` names a server under `servers:`. One with a
    `backend` is its author's own, whatever carries it out.
    """
    tools, servers = tree.get("tools"), tree.get("servers")
    if not isinstance(tools, PlacedMapping) or not isinstance(servers, PlacedMapping):
        return {}
    return {
        name: _definition(tool)
        for name, tool in tools.items()
        if isinstance(tool, PlacedMapping)
        and "backend" not in tool
        and "input_schema" in tool
        and str(tool.get("id")).partition("::")[0] in servers
    }


def _definition(tool: PlacedMapping) -> Json:
    name = str(tool["id"]).partition("::")[2]
    own = {theirs: plain(tool[ours]) for ours, theirs in _FIELDS.items() if ours in tool}
    return {"name": name, **own}
