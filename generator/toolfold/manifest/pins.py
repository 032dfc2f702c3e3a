"""The definitions of upstream tools as they were imported, before overlays change them."""

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
    servers = tree.get("servers")
    if not isinstance(servers, PlacedMapping):
        return {}
    return {
        name: definition_of(tool)
        for name, tool in foreign_tools(tree).items()
        if "backend" not in tool and str(tool["id"]).partition("::")[0] in servers
    }


def foreign_tools(tree: PlacedMapping) -> dict[str, PlacedMapping]:
    """The tools with an `id` and a foreign schema, by name."""
    tools = tree.get("tools")
    return {
        name: tool
        for name, tool in (tools.items() if isinstance(tools, PlacedMapping) else ())
        if isinstance(tool, PlacedMapping) and "input_schema" in tool and "id" in tool
    }


def definition_of(tool: PlacedMapping) -> Json:
    """The pinned fields of an imported tool, in the protocol's form."""
    name = str(tool["id"]).partition("::")[2]
    fields = {theirs: plain(tool[ours]) for ours, theirs in _FIELDS.items() if ours in tool}
    return {"name": name, **fields}
