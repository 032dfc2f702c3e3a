"""The definitions of a manifest: those that its author wrote, and those that came with HTTP APIs."""

import re
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.manifest.schema import Manifest
from toolfold.plan.schemas.served import reached_definitions

_LONGEST_PREFIX: Final = 24


def definition_prefix(server: str) -> str:
    """The prefix of the names of definitions that are imported with an HTTP API."""
    prefix = re.sub(r"[^A-Za-z0-9]+", "_", server).strip("_")[:_LONGEST_PREFIX] or "api"
    return f"{prefix}_" if prefix[0].isalpha() else f"api_{prefix}_"


def authored_definitions(manifest: Manifest) -> dict[str, Json]:
    """The definitions that are held to everything, and get classes.

    Those with the name of an HTTP API in front are its own, unless a tool that is written by hand
    refers to them.
    """
    apis = [name for name, server in manifest.servers.items() if server.is_http_api]
    prefixes = tuple(map(definition_prefix, apis))
    if not prefixes:
        return manifest.defs
    foreign = {name for name in manifest.defs if name.startswith(prefixes)}
    for tool in manifest.tools.values():
        if not tool.is_operation:
            written = {"allOf": [*(tool.parameters or {}).values(), tool.returns]}
            foreign -= reached_definitions(written, manifest.defs)
    return {name: schema for name, schema in manifest.defs.items() if name not in foreign}
