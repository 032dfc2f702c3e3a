"""The arguments of every command. Each command is named here and carried out by `cli`."""

import argparse
from pathlib import Path
from typing import Any, NoReturn

from toolfold import __version__


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `run` names what carries a command out."""
    top = _Parser(prog="toolfold", description=__import__("toolfold").__doc__)
    top.add_argument("--version", action="version", version=f"toolfold {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_init(commands)
    _add_generate(commands)
    _add_check(commands)
    schema = commands.add_parser("schema", help="print the manifest's JSON Schema for editors")
    schema.set_defaults(run="schema")
    _add_budget(commands)
    _add_serve(commands)
    _add_try(commands)
    _add_search(commands)
    _add_eval(commands)
    _add_import(commands)
    _add_docs(commands)
    return top


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n  see `{self.prog} --help`\n")


def _add_init(commands: Any) -> None:
    init = commands.add_parser("init", help="write a small working server to start from")
    init.add_argument("folder", nargs="?", type=Path, default=Path(), help="default: this folder")
    init.add_argument("--name", help="the server's name; default: the folder's")
    init.add_argument("--pytest", action="store_true", help="also a test that runs `check`")
    init.add_argument("--github", action="store_true", help="also workflows: check, publish docs")
    init.set_defaults(run="init")


def _add_generate(commands: Any) -> None:
    generate = commands.add_parser("generate", help="generate the package and the docs")
    _add_places(generate)
    _add_findings(generate)
    generate.add_argument("-q", "--quiet", action="store_true", help="say nothing on success")
    generate.add_argument("--watch", action="store_true", help="again after every save")
    _add_commit(generate)
    generate.set_defaults(run="generate")


def _add_check(commands: Any) -> None:
    check = commands.add_parser("check", help="is the generated output current?")
    _add_places(check)
    _add_findings(check)
    check.add_argument("--diff", action="store_true", help="show how files differ")
    check.add_argument(
        "--strict", action="store_true", help="fail where a prompt does not find its tool"
    )
    _add_commit(check)
    check.set_defaults(run="check")


def _add_budget(commands: Any) -> None:
    budget = commands.add_parser("budget", help="what every view and tool costs in tokens")
    budget.add_argument(
        "-m", "--manifest", type=Path, default=Path("tools.yaml"), help="default: tools.yaml"
    )
    budget.add_argument("--format", choices=("text", "json"), default="text")
    budget.set_defaults(run="budget")


def _add_serve(commands: Any) -> None:
    from toolfold_runtime.serving.options import add_options

    serve = commands.add_parser("serve", help="serve the generated package over stdio or HTTP")
    _add_places(serve)
    add_options(serve)
    serve.add_argument("--reload", action="store_true", help="restart after every save")
    serve.set_defaults(run="serve")


def _add_try(commands: Any) -> None:
    try_ = commands.add_parser("try", help="call one tool in this process")
    try_.add_argument("tool")
    try_.add_argument("arguments", nargs="?", default="{}", metavar="JSON", help="default: {}")
    _add_places(try_)
    try_.set_defaults(run="try")


def _add_search(commands: Any) -> None:
    search = commands.add_parser("search", help="what agents would find, and why")
    search.add_argument("query")
    search.add_argument("--limit", type=_positive, default=5, help="default: 5")
    _add_search_options(search)
    search.set_defaults(run="search")


def _add_eval(commands: Any) -> None:
    eval_ = commands.add_parser("eval", help="how well search finds what labelled queries need")
    eval_.add_argument("queries", type=Path, metavar="QUERIES.jsonl")
    eval_.add_argument("--rankings", type=Path, metavar="OUT.jsonl", help="write what was found")
    _add_search_options(eval_)
    eval_.set_defaults(run="eval")


def _add_search_options(parser: argparse.ArgumentParser) -> None:
    from toolfold_runtime.contract.vocabulary import STRATEGIES

    parser.add_argument(
        "-m", "--manifest", type=Path, default=Path("tools.yaml"), help="default: tools.yaml"
    )
    parser.add_argument("--search", choices=STRATEGIES, help="default: the manifest's")
    parser.add_argument("--json", action="store_true", help="for machines")


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1")
    return int(text)


def _add_import(commands: Any) -> None:
    import_ = commands.add_parser("import", help="turn other people's tools into a manifest")
    kinds = import_.add_subparsers(dest="kind", metavar="KIND", required=True)
    tools = kinds.add_parser("tools", help="saved `tools/list` answers")
    tools.add_argument("files", nargs="+", type=Path, metavar="FILE.json")
    tools.add_argument(
        "-o", "--output", type=Path, default=Path("tools.yaml"), help="default: tools.yaml"
    )
    tools.add_argument("--name", help="the server's name; default: from the files")
    tools.add_argument("--force", action="store_true", help="replace a manifest that differs")
    _add_form(tools)
    tools.set_defaults(run="import_tools")


def _add_docs(commands: Any) -> None:
    docs = commands.add_parser("docs", help="the generated docs as a static site")
    kinds = docs.add_subparsers(dest="kind", metavar="KIND", required=True)
    build = kinds.add_parser("build", help="build the site")
    _add_places(build)
    _add_findings(build)
    build.add_argument("--site", type=Path, help="default: site/ beside the manifest")
    build.add_argument("--since", metavar="REV", help="add what changed since a git revision")
    build.set_defaults(run="docs_build")
    serve = kinds.add_parser("serve", help="preview the site, built again after every save")
    _add_places(serve)
    serve.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1")
    serve.add_argument("--port", type=int, default=8001, help="default: 8001")
    serve.set_defaults(run="docs_serve", format="text", verbose=False)


def _add_commit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--for-commit",
        action="store_true",
        help="fail where something was changed or is not added to git",
    )


def _add_places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-m", "--manifest", type=Path, default=Path("tools.yaml"), help="default: tools.yaml"
    )
    parser.add_argument("-o", "--output", type=Path, help="default: generated/ beside the manifest")


def _add_form(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=("text", "json", "github"), default="text", help="form of findings"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="every warning, not a count")


def _add_findings(parser: argparse.ArgumentParser) -> None:
    _add_form(parser)
    parser.add_argument(
        "--no-cache", dest="cache", action="store_false", help="neither read nor keep pieces"
    )
