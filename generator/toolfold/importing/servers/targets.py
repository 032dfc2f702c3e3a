"""Which servers to import: of clients' files, from the command line, or declared in the manifest."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from toolfold_runtime.contract.upstream import UpstreamServer

from toolfold.errors import UsageError
from toolfold.importing.servers.configs import ClientServer, Unusable, read_config
from toolfold.importing.servers.project import Project
from toolfold.importing.servers.translate import Export, translated
from toolfold.manifest.upstream import Upstream

_ADDRESS: Final = re.compile(r"https?://\S+")
# What a client's file says about a server; the rest of an entry is the manifest's own.
_CLIENT_KEYS: Final = ("command", "cwd", "env", "url", "headers", "auth")
_LONGEST: Final = 64


@dataclass(frozen=True)
class Target:
    """A server to import, under its name in the manifest."""

    name: str
    live: UpstreamServer
    #: What to declare; None where the manifest declares it already.
    entry: dict[str, Any] | None = None
    exports: tuple[Export, ...] = ()
    notes: tuple[str, ...] = ()
    #: The client's entry, if the name is to come from the server itself.
    unnamed: ClientServer | None = None


def targets(
    project: Project, configs: Sequence[Path], given: Sequence[str], name: str | None
) -> tuple[list[Target], list[Unusable]]:
    """The servers to import and the unusable entries; UsageError if there is nothing to import.

    `given` is a command or an address; without it and without files, what is declared counts.
    """
    if configs and given:
        raise UsageError("name files with --config, or a command or an address, not both")
    if given:
        return [_from_command_line(project, given, name)], []
    if configs:
        return _from_configs(project, configs, name)
    declared = [
        server
        for server, entry in project.servers().items()
        if name in (None, server) and not (isinstance(entry, dict) and "openapi" in entry)
    ]
    if not declared:
        which = f'no server "{name}" is' if name else "no servers are"
        raise UsageError(f"{project.manifest}: {which} declared; see `toolfold import mcp --help`")
    return [Target(server, project.upstream(server)) for server in declared], []


def named(target: Target, project: Project, name: str | None) -> Target:
    """The target under the name that its server gives itself, where it has none yet."""
    if target.unnamed is None:
        return target
    return _named_on_command_line(project, target.unnamed, legal_name(name or target.name))


def legal_name(text: str) -> str:
    """Text as the name of a server, which is also that of its file."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:_LONGEST].strip("-.")
    return name or "server"


def _from_command_line(project: Project, given: Sequence[str], name: str | None) -> Target:
    is_address = len(given) == 1 and _ADDRESS.fullmatch(given[0])
    where = Path.cwd()
    if is_address:
        server = ClientServer(name or "server", "the command line", where, url=given[0])
    else:
        server = ClientServer(name or "server", "the command line", where, command=tuple(given))
    if name is not None:
        if legal_name(name) != name:
            raise UsageError(f'--name {name}: letters, digits, ".", "_" and "-", at most 64')
        return _named_on_command_line(project, server, name)
    return replace(_target(project, server, "server"), unnamed=server)


def _named_on_command_line(project: Project, server: ClientServer, name: str) -> Target:
    """The target of a server from the command line; UsageError if its name is taken in the manifest."""
    target = _target(project, server, name)
    if target.notes and target.entry is None:
        raise UsageError(f'another server "{name}" is declared already; give this one a --name')
    return target


def _from_configs(
    project: Project, configs: Sequence[Path], name: str | None
) -> tuple[list[Target], list[Unusable]]:
    entries = [entry for file in configs for entry in read_config(file)]
    servers, unusable = _distinct(entries)
    names = _names([server.name for server in servers])
    chosen = [s for s in servers if name in (None, s.name, names[s.name])]
    unusable = [entry for entry in unusable if name in (None, entry.name)]
    if not entries:
        raise UsageError(f"{', '.join(map(str, configs))}: no servers are listed there")
    if not chosen and not unusable:
        listed = ", ".join(server.name for server in servers) or "none"
        raise UsageError(f'no server "{name}" in there; there are: {listed}')
    chosen_targets: list[Target] = []
    for server in chosen:
        proposed = [e.variable for target in chosen_targets for e in target.exports if e.is_own]
        try:
            chosen_targets.append(_target(project, server, names[server.name], proposed))
        except UsageError as error:
            unusable.append(Unusable(server.name, server.origin, str(error)))
    return chosen_targets, unusable


def _distinct(
    entries: Sequence[ClientServer | Unusable],
) -> tuple[list[ClientServer], list[Unusable]]:
    """Each server once; a second server with the same name and other values is unusable."""
    servers: dict[str, ClientServer] = {}
    unusable = [entry for entry in entries if isinstance(entry, Unusable)]
    for server in entries:
        if isinstance(server, ClientServer):
            first = servers.setdefault(server.name, server)
            if replace(server, origin=first.origin, workspace=first.workspace) != first:
                reason = f"{first.origin} has another server of that name; rename one of them"
                unusable.append(Unusable(server.name, server.origin, reason))
    return list(servers.values()), unusable


def _names(given: Sequence[str]) -> dict[str, str]:
    """A legal name for each name, unique without regard to case; legal names keep themselves."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(given, key=lambda text: legal_name(text) != text):
        base, number = legal_name(name), 2
        numbered = base
        while numbered.casefold() in taken:
            numbered, number = f"{base[: _LONGEST - 4]}-{number}", number + 1
        taken.add(numbered.casefold())
        names[name] = numbered
    return names


def _target(
    project: Project, server: ClientServer, name: str, proposed: Sequence[str] = ()
) -> Target:
    """The target of a server: as the manifest declares it, else with the entry to declare.

    `proposed` are variables that other servers are going to have.
    """
    translation = translated(server, name, [*project.variables_of_others(name), *proposed])
    refuse_misfit(translation.entry)
    declared = project.servers().get(name)
    if declared is None:
        return Target(
            name, translation.live, translation.entry, translation.exports, translation.notes
        )
    if isinstance(declared, dict) and translation.entry == dict(_client_part(declared)):
        return Target(name, translation.live)
    note = f"{project.manifest.name} declares it otherwise than {server.origin}; that is used"
    return Target(name, project.upstream(name), notes=(note,))


def refuse_misfit(entry: dict[str, Any]) -> None:
    """Raise UsageError if an entry is not valid in a manifest; no value is quoted."""
    try:
        Upstream.model_validate(entry)
    except ValidationError as error:
        where = ".".join(str(step) for step in error.errors()[0]["loc"] if step != "[key]")
        raise UsageError(f"no manifest can declare it: {where} is not valid") from None


def _client_part(entry: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((key, entry[key]) for key in _CLIENT_KEYS if entry.get(key))
