"""The commands about upstream servers: importing them, and looking what they publish now."""

import argparse
import json
from typing import TYPE_CHECKING, Final

from toolfold.cli.printing import Printer, complain, progress
from toolfold.report import printable, shown

if TYPE_CHECKING:
    from toolfold.commands.apis import ApiState
    from toolfold.commands.live import LiveState
    from toolfold.errors import DetailedProblem
    from toolfold.importing.servers.run import Imported
    from toolfold.importing.servers.snapshot import Snapshot

_LONGEST: Final = 60


def import_mcp(options: argparse.Namespace) -> int:
    """Import servers; 1 where one of them failed."""
    from toolfold.importing.servers.run import Request, import_servers

    request = Request(
        options.manifest,
        options.config,
        options.given,
        options.name,
        options.timeout,
        has_overlays=options.curate,
    )
    return _print_imported(import_servers(request, progress("import", "servers")), options)


def import_openapi(options: argparse.Namespace) -> int:
    """Import documents of HTTP APIs; 1 where one of them failed."""
    from toolfold.importing.openapi.run import Request, import_documents
    from toolfold.importing.openapi.selection import Selection

    request = Request(
        options.manifest,
        options.document,
        Selection(tuple(options.include), tuple(options.exclude)),
        options.name,
        options.url,
        options.output,
        options.timeout,
        has_overlays=options.curate,
    )
    return _print_imported(import_documents(request), options)


def _print_imported(done: "Imported", options: argparse.Namespace) -> int:
    printer = Printer(options.format, options.verbose)
    printer.problems(done.problems)
    for taken in done.snapshots:
        for line in _snapshot_lines(taken):
            printer.result(line)
    _print_rest(done, options.manifest.name, printer)
    return 1 if done.failures else 0


def _snapshot_lines(taken: "Snapshot") -> list[str]:
    total = f"{len(taken.tools)} tool{'s' if len(taken.tools) != 1 else ''}"
    if taken.before is None:
        return [f"{taken.path}: written: {total}"]
    if taken.is_unchanged:
        return [f"{taken.path}: unchanged: {total}"]
    if taken.comparison.is_same:
        return [f"{taken.path}: changed: {total}", "  only what no agent reads"]
    lines = (f"  {line}" for line in taken.comparison.lines())
    return [f"{taken.path}: {taken.comparison.counts()}; {total} in all", *lines]


def _print_rest(done: "Imported", manifest: str, printer: Printer) -> None:
    for path in done.overlays:
        printer.result(f"{path}: written, and yours")
    if done.declared:
        printer.result(f"{manifest}: added to: {', '.join(done.declared)}")
    for note in done.notes:
        complain(f"notice: {shown(note)}")
    for server, exports in done.exports.items():
        for export in exports:
            complain(f"notice: {server}: export {export.variable}: {shown(export.holds)}")
    for name, reason in done.failures.items():
        complain(f"{shown(name)}: {reason}")
    for snippet in done.snippets:
        complain(f"\n{snippet}")


def live_problems(options: argparse.Namespace) -> "list[DetailedProblem]":
    """How upstream servers differ from what was imported."""
    from toolfold.commands.live import live_problems, live_states
    from toolfold.manifest.load import load

    loaded, folder = load(options.manifest), options.manifest.parent
    states = live_states(loaded, (), options.timeout, folder, progress("live", "servers"))
    return list(live_problems(loaded, states))


def servers(options: argparse.Namespace) -> int:
    """Connect once to each upstream server and print what it is; 1 where something is wrong."""
    from toolfold.commands.apis import api_states
    from toolfold.commands.live import live_states
    from toolfold.manifest.load import load

    loaded, folder = load(options.manifest), options.manifest.parent
    count = progress("servers", "servers")
    states = live_states(loaded, options.names, options.timeout, folder, count)
    apis = {api.server.name: api for api in api_states(loaded, options.names, options.timeout)}
    rows = [_row(state) | _reached(apis.get(state.server.name), state) for state in states]
    if options.format == "json":
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        for line in _table(rows):
            print(printable(line))
    return int(
        not all(state.is_fine for state in states) or any(api.error for api in apis.values())
    )


def _row(state: "LiveState") -> dict[str, object]:
    live, server = state.listing.live, state.server
    return {
        "server": server.name,
        "transport": "stdio" if server.url is None else "http",
        "protocol": live.protocol_version if live else None,
        "name": live.name if live else None,
        "version": live.version if live else None,
        "tools": len(live.tools) if live else None,
        "pin": _pin(state),
        "seconds": round(state.listing.seconds, 2),
        "error": state.listing.error or None,
    }


def _reached(api: "ApiState | None", state: "LiveState") -> dict[str, object]:
    """What is to be said of an HTTP API besides its document: whether it can be reached."""
    if api is None:
        return {}
    errors = [error for error in (state.listing.error, api.error) if error]
    return {
        "transport": "http api",
        "tools": api.tools,
        "seconds": round(state.listing.seconds + api.seconds, 2),
        "error": "; ".join(errors) or None,
    }


def _pin(state: "LiveState") -> str | None:
    """How what it publishes compares with what was imported."""
    if state.listing.live is None:
        return None
    if state.server.pin == "off":
        return "off"
    if state.comparison is None:
        return "not imported"
    if state.comparison.is_same:
        return "matches"
    return state.comparison.counts()


def _table(rows: list[dict[str, object]]) -> list[str]:
    """A line for each server, and one below it where something is wrong."""
    if not rows:
        return ["no servers are declared"]
    columns = ("server", "transport", "protocol", "version", "tools", "pin", "seconds")
    cells = [[_cell(row[key]) for key in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    lines = ["  ".join(map(str.ljust, columns, widths)).rstrip()]
    for row, row_cells in zip(rows, cells, strict=True):
        lines.append("  ".join(map(str.ljust, row_cells, widths)).rstrip())
        if row["error"]:
            lines.append(f"  {shown(str(row['error']))}")
    return lines


def _cell(value: object) -> str:
    return "-" if value is None else shown(str(value)[:_LONGEST])
