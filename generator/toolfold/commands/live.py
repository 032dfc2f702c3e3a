"""Comparing what is imported with what upstream servers publish now; no tool is run."""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.upstream import UpstreamServer

from toolfold.errors import (
    DetailedProblem,
    ManifestError,
    OutputError,
    Problem,
    Severity,
    UsageError,
)
from toolfold.importing.openapi.live import taken_again
from toolfold.importing.openapi.targets import declared_apis
from toolfold.importing.servers.compare import Comparison, compare
from toolfold.importing.servers.listing import Listing, Progress, list_servers
from toolfold.importing.servers.project import OPENAPI, Project
from toolfold.importing.servers.snapshot import importable
from toolfold.importing.servers.stage import acceptable, published
from toolfold.manifest.load import Loaded
from toolfold.manifest.tree import dotted, place_of
from toolfold.plan.upstreams import upstream_servers


@dataclass(frozen=True)
class LiveState:
    """A declared server: what it answered, and how that differs from what was imported."""

    server: UpstreamServer
    listing: Listing
    #: None where there is nothing to compare.
    comparison: Comparison | None
    #: Tools of the manifest that it does not have, though nothing was imported for them.
    missing: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether it answered, and publishes what the manifest says; a policy may not ask for that."""
        if self.listing.live is None or self.missing:
            return False
        is_held = self.comparison is not None and self.server.pin == "refuse"
        return not is_held or self.comparison is None or self.comparison.is_same


def live_states(
    loaded: Loaded, names: Collection[str], seconds: float, folder: Path, progress: Progress
) -> list[LiveState]:
    """Connect to the MCP servers of these names, or to all; UsageError where one is not declared."""
    declared = upstream_servers(loaded.manifest)
    unknown = [name for name in names if name not in declared]
    if unknown:
        known = ", ".join(declared) or "none"
        raise UsageError(f'no server "{unknown[0]}" is declared; there are: {known}')
    chosen = [server for name, server in declared.items() if not names or name in names]
    asked = [server for server in chosen if not server.is_http_api]
    listings = dict(
        zip(
            (server.name for server in asked),
            list_servers(asked, folder, seconds, progress),
            strict=True,
        )
    )
    return [
        _document_state(loaded, server, folder, seconds)
        if server.is_http_api
        else _state(loaded, server, listings[server.name])
        for server in chosen
    ]


def _document_state(
    loaded: Loaded, server: UpstreamServer, folder: Path, seconds: float
) -> LiveState:
    """The document of an HTTP API as it is now, compared with what was imported from it."""
    start = time.monotonic()
    project = Project(folder / loaded.name, OPENAPI)
    try:
        (api,) = declared_apis(project, server.name)
        taken = taken_again(project, api, seconds)
    except (UsageError, OutputError, ManifestError) as error:
        return LiveState(server, Listing(None, str(error), time.monotonic() - start), None)
    listing = Listing(taken.live, "", time.monotonic() - start)
    return LiveState(server, listing, taken.comparison if server.pin != "off" else None)


def live_problems(loaded: Loaded, states: list[LiveState]) -> Iterator[DetailedProblem]:
    """What is wrong: errors, or warnings where a server's `pin` says so."""
    for state in states:
        path = ("servers", state.server.name)
        place = place_of(loaded.tree, path, of_key=True)
        if state.listing.live is None:
            hint = f"when that is mended, `toolfold servers {state.server.name}` tries again"
            problem = Problem(place, dotted(path), state.listing.error, hint, code="live")
            yield DetailedProblem(problem)
        for name in state.missing:
            fact = f"the server {state.server.name} has no such tool"
            yield DetailedProblem(_backend_problem(loaded, name, fact))
        if state.comparison is not None and not state.comparison.is_same:
            fact = "not what was imported any more"
            kind = "openapi" if state.server.is_http_api else "mcp"
            hint = f"import it again with `toolfold import {kind}`, and review what changes"
            severity: Severity = "error" if state.server.pin == "refuse" else "warning"
            problem = Problem(place, dotted(path), fact, hint, severity, "live")
            yield DetailedProblem(problem, tuple(state.comparison.lines()))


def _backend_problem(loaded: Loaded, name: str, fact: str) -> Problem:
    path = ("tools", name, "backend")
    return Problem(place_of(loaded.tree, path), dotted(path), fact, code="live")


def _state(loaded: Loaded, server: UpstreamServer, listing: Listing) -> LiveState:
    if listing.live is None:
        return LiveState(server, listing, None)
    tools, _ = importable(listing.live.tools, server.name)
    pins = _pins(loaded, server.name)
    # One that was left out when importing is no addition.
    known = [tool for tool in tools if tool.name in pins]
    added = acceptable([tool for tool in tools if tool.name not in pins])
    live = {tool.name: published(tool) for tool in (*known, *added)}
    missing = tuple(
        name
        for name in loaded.manifest.tools
        if (upstream := loaded.manifest.upstream_of(name))
        and upstream.server == server.name
        and name not in loaded.pins
        and upstream.tool not in live
    )
    is_compared = bool(pins) and server.pin != "off"
    return LiveState(server, listing, compare(pins, live) if is_compared else None, missing)


def _pins(loaded: Loaded, server: str) -> dict[str, Json]:
    """What was imported from a server, by what it calls each tool."""
    tools = loaded.tree["tools"]
    return {
        definition["name"]: definition
        for name, definition in loaded.pins.items()
        if str(tools[name].get("id")).partition("::")[0] == server
    }
