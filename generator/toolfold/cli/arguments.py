"""The arguments of every command; `run` is the function that carries it out."""

import argparse
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from toolfold import __doc__ as description
from toolfold import __version__
from toolfold.cli import run, servers, usage
from toolfold.cli.options import (
    add_commit,
    add_format,
    add_manifest,
    add_patience,
    add_project,
    add_reporting,
    add_search_options,
    add_usage_place,
    days,
    positive,
)

_Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"  # which has no public name


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = _Parser(
        prog="toolfold", description=description, epilog="to begin with: toolfold init hello"
    )
    top.add_argument("--version", action="version", version=f"toolfold {__version__}")
    top.set_defaults(format="text", verbose=False, cache=True)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_init(commands)
    _add_generate(commands)
    _add_check(commands)
    schema = commands.add_parser("schema", help="print the manifest's JSON Schema for editors")
    schema.set_defaults(run=run.schema)
    _add_budget(commands)
    _add_serve(commands)
    _add_try(commands)
    _add_search(commands)
    _add_eval(commands)
    _add_import(commands)
    _add_servers(commands)
    _add_tiers(commands)
    _add_usage(commands)
    _add_stubs(commands)
    _add_docs(commands)
    return top


class _Parser(argparse.ArgumentParser):
    """A parser that says what was probably meant."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        # Refused by the command that does not know them, whose options are then suggested.
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            hint = _did_you_mean(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        choice = re.fullmatch(r"(.+ invalid choice: '(.*)') \(choose from (.+)\)", message)
        if choice and (hint := _did_you_mean(choice[2], re.findall(r"[\w-]+", choice[3]))):
            message = f"{choice[1]}{hint}"
        self.exit(2, f"{self.prog}: {message}\n  see `{self.prog} --help`\n")


def _did_you_mean(word: str, words: Iterable[str]) -> str:
    close = get_close_matches(word, list(words), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _add_init(commands: _Commands) -> None:
    init = commands.add_parser("init", help="write a small working server to start from")
    init.set_defaults(run=run.init)
    init.add_argument(
        "folder", nargs="?", type=Path, default=Path(), help="where; default: this folder"
    )
    init.add_argument("--name", metavar="NAME", help="the server's name; default: the folder's")
    init.add_argument("--pytest", action="store_true", help="also a test that runs `check`")
    init.add_argument("--github", action="store_true", help="also workflows: check, publish docs")


def _add_generate(commands: _Commands) -> None:
    generate = commands.add_parser("generate", help="generate the package and the docs")
    generate.set_defaults(run=run.generate)
    add_project(generate)
    add_reporting(generate)
    generate.add_argument("-q", "--quiet", action="store_true", help="say nothing on success")
    generate.add_argument("--watch", action="store_true", help="again after every save")
    add_commit(generate)


def _add_check(commands: _Commands) -> None:
    check = commands.add_parser("check", help="say whether what is generated is current")
    check.set_defaults(run=run.check)
    add_project(check)
    add_reporting(check)
    check.add_argument("--diff", action="store_true", help="show how files differ")
    check.add_argument(
        "--strict", action="store_true", help="fail where a prompt does not find its tool"
    )
    check.add_argument(
        "--types", action="store_true", help="also run mypy or pyright over the implementation"
    )
    check.add_argument(
        "--live", action="store_true", help="also compare upstream servers with what was imported"
    )
    add_patience(check)
    add_commit(check)


def _add_budget(commands: _Commands) -> None:
    budget = commands.add_parser("budget", help="show what every view and tool costs in tokens")
    budget.set_defaults(run=run.budget)
    add_manifest(budget)
    budget.add_argument(
        "--tiers",
        action="store_true",
        help="what each step into the catalog costs; fail beyond its limit",
    )
    budget.add_argument(
        "--format", choices=("text", "json"), default="text", help="how it is printed"
    )


def _add_serve(commands: _Commands) -> None:
    from toolfold_runtime.serving.options import add_options

    # Not abbreviated: `--reload` is taken out of the arguments that a restarted server gets.
    serve = commands.add_parser(
        "serve", help="serve the generated package over stdio or HTTP", allow_abbrev=False
    )
    add_project(serve)
    add_options(serve)
    serve.add_argument("--reload", action="store_true", help="restart after every save")
    serve.set_defaults(run=run.serve)


def _add_try(commands: _Commands) -> None:
    try_ = commands.add_parser("try", help="call one tool as an agent would")
    try_.set_defaults(run=run.try_)
    try_.add_argument("tool", metavar="TOOL", help="the tool, or a meta-tool, by its name")
    try_.add_argument(
        "arguments", nargs="?", default="{}", metavar="JSON", help="its arguments; default: {}"
    )
    try_.add_argument(
        "--dry-run",
        action="store_true",
        help="of an HTTP API: print the request as curl, without secrets, and send nothing",
    )
    add_project(try_)


def _add_search(commands: _Commands) -> None:
    search = commands.add_parser("search", help="show what agents would find, and why")
    search.set_defaults(run=run.search)
    search.add_argument("query", metavar="QUERY", help="what an agent would ask for")
    search.add_argument(
        "--limit", type=positive, default=5, metavar="N", help="how many tools; default: 5"
    )
    add_search_options(search)


def _add_eval(commands: _Commands) -> None:
    eval_ = commands.add_parser(
        "eval", help="measure how well search finds what labelled queries need"
    )
    eval_.set_defaults(run=run.eval_)
    eval_.add_argument("queries", type=Path, metavar="QUERIES.jsonl", help="labelled queries")
    eval_.add_argument("--rankings", type=Path, metavar="OUT.jsonl", help="write what was found")
    add_search_options(eval_)


def _add_import(commands: _Commands) -> None:
    import_ = commands.add_parser("import", help="turn other people's tools into a manifest")
    kinds = import_.add_subparsers(dest="kind", metavar="tools|mcp|openapi", required=True)
    tools = kinds.add_parser("tools", help="take over tools from saved `tools/list` answers")
    tools.set_defaults(run=run.import_tools)
    tools.add_argument("files", nargs="+", type=Path, metavar="FILE.json", help="the answers")
    tools.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        default=Path("tools.yaml"),
        help="the manifest to write; default: tools.yaml",
    )
    tools.add_argument("--name", metavar="NAME", help="the server's name; default: from the files")
    tools.add_argument("--force", action="store_true", help="replace a manifest that differs")
    add_format(tools)
    _add_import_mcp(
        kinds.add_parser("mcp", help="take over tools of MCP servers, by file, address or command")
    )
    _add_import_openapi(
        kinds.add_parser("openapi", help="make tools of an OpenAPI document's operations")
    )


def _add_import_mcp(mcp: argparse.ArgumentParser) -> None:
    mcp.usage = "%(prog)s [options] [--config FILE ... | URL | -- COMMAND ...]"
    mcp.epilog = "without a file, address or command: the servers that the manifest declares, again"
    mcp.set_defaults(run=servers.import_mcp)
    mcp.add_argument("given", nargs="*", metavar="URL | -- COMMAND", help="one server")
    mcp.add_argument(
        "--config",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="files of clients: .mcp.json, Claude Desktop, Cursor, VS Code, Codex",
    )
    mcp.add_argument(
        "--name", metavar="NAME", help="what to call the server; of several, the one to import"
    )
    mcp.add_argument("--curate", action="store_true", help="also write overlays to start from")
    add_patience(mcp)
    add_manifest(mcp)
    add_format(mcp)


def _add_import_openapi(openapi: argparse.ArgumentParser) -> None:
    openapi.epilog = "without a document: those that the manifest declares, again"
    openapi.set_defaults(run=servers.import_openapi)
    openapi.add_argument(
        "document",
        nargs="?",
        metavar="FILE|URL",
        help="OpenAPI 3.0, 3.1 or Swagger 2, JSON or YAML",
    )
    for option, what in (("--include", "import only these"), ("--exclude", "leave these out")):
        openapi.add_argument(
            option, nargs="+", default=[], metavar="TAG|PATH", help=f"{what}; * stands for anything"
        )
    openapi.add_argument(
        "--name", metavar="NAME", help="what to call the API; of declared ones, the one to import"
    )
    openapi.add_argument(
        "--url", metavar="URL", help="where the API is; default: as the document says"
    )
    openapi.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="the file to write; default: servers/NAME.yaml beside the manifest",
    )
    openapi.add_argument(
        "--curate", action="store_true", help="also write an overlay to start from"
    )
    add_patience(openapi)
    add_manifest(openapi)
    add_format(openapi)


def _add_servers(commands: _Commands) -> None:
    parser = commands.add_parser(
        "servers", help="connect once to each upstream server and HTTP API"
    )
    parser.set_defaults(run=servers.servers)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="which servers; default: all of them"
    )
    add_patience(parser)
    add_manifest(parser)
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how it is printed"
    )


def _add_tiers(commands: _Commands) -> None:
    tiers = commands.add_parser(
        "tiers", help="show which tools are hot, warm, standard or cold by usage"
    )
    tiers.set_defaults(run=usage.tiers)
    add_manifest(tiers)
    add_usage_place(tiers)
    tiers.add_argument(
        "--format", choices=("text", "json"), default="text", help="how it is printed"
    )
    kinds = tiers.add_subparsers(dest="kind", metavar="update")
    update = kinds.add_parser("update", help="write tiers and figures into an overlay")
    update.set_defaults(run=usage.update_tiers)
    # Without defaults: what was said before `update` counts where nothing is said after it.
    update.add_argument(
        "-m",
        "--manifest",
        type=Path,
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="the manifest; default: tools.yaml",
    )
    update.add_argument(
        "--usage", metavar="FILE|off", default=argparse.SUPPRESS, help="the store to read"
    )
    update.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="the overlay to write; default: tiers.yaml beside the manifest",
    )


def _add_usage(commands: _Commands) -> None:
    parser = commands.add_parser("usage", help="show calls, failures and latencies")
    parser.set_defaults(run=usage.usage)
    add_manifest(parser)
    add_usage_place(parser)
    parser.add_argument(
        "--by",
        choices=("tool", "category", "day"),
        default="tool",
        help="what a row is; default: tool",
    )
    parser.add_argument(
        "--days", type=days, default=30, metavar="N", help="how far back; default: 30"
    )
    parser.add_argument(
        "--format", choices=("text", "json", "csv"), default="text", help="how it is printed"
    )


def _add_stubs(commands: _Commands) -> None:
    stubs = commands.add_parser(
        "stubs", help="print every tool as a typed function, as in programs"
    )
    stubs.set_defaults(run=run.stubs)
    add_manifest(stubs)
    stubs.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="the .pyi to write; default: standard output",
    )


def _add_docs(commands: _Commands) -> None:
    docs = commands.add_parser("docs", help="build or preview the generated docs as a site")
    kinds = docs.add_subparsers(dest="kind", metavar="build|serve", required=True)
    build = kinds.add_parser("build", help="build the site")
    build.set_defaults(run=run.docs_build)
    add_project(build)
    add_reporting(build)
    build.add_argument(
        "--site", type=Path, metavar="FOLDER", help="where; default: site/ beside the manifest"
    )
    build.add_argument("--since", metavar="REV", help="add what changed since a git revision")
    build.add_argument(
        "--usage",
        metavar="FILE|off",
        help="add a page with the figures of a usage store; default: off",
    )
    build.add_argument("--url", help="where it is published; default: `site: url`")
    build.add_argument(
        "--pages",
        type=Path,
        metavar="SITE.yaml",
        help="build a site of Markdown alone, without a manifest",
    )
    serve = kinds.add_parser("serve", help="preview the site, built again after every save")
    serve.set_defaults(run=run.docs_serve)
    add_project(serve)
    serve.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on; default: 127.0.0.1"
    )
    serve.add_argument(
        "--port",
        type=int,
        default=8001,
        metavar="PORT",
        help="the port to listen on; default: 8001",
    )
