"""The `toolfold` command: arguments in, exit code out. The only module that prints.

Each command imports what it needs when it runs, so that `--help` and a cached `check` are quick.
"""

import argparse
import json
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from toolfold import __version__
from toolfold.errors import ManifestError, OutputError, Problem, UsageError
from toolfold.report import Drift, Format, machine_report, report, summary

# Warnings that `check --strict` does not let pass.
_STRICT = ("retrieval",)
_MOST_SHOWN: Final = 5

if TYPE_CHECKING:
    from toolfold.emit.tree import Written
    from toolfold.watch import Refused, Regenerated

# What an extra brings, and what it is for.
_EXTRAS: Final = {
    "generate": (
        "the generator",
        (
            "yaml",
            "jinja2",
            "datamodel_code_generator",
            "ruff",
            "splintr",
            "splintr_rs",
            "watchfiles",
        ),
    ),
    "docs": ("the site builder", ("zensical", "pyromark", "pygments", "markdown")),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 fine, 1 findings, 2 wrong use or a failure of ours."""
    options = _parser().parse_args(arguments)
    options.given = list(sys.argv[1:] if arguments is None else arguments)
    command: Callable[[argparse.Namespace], int] = options.run
    try:
        return command(options)
    except ManifestError as error:
        options.verbose = True
        _print_findings(error.problems, [], options)
        return 1
    except OutputError as error:
        _complain(str(error))
        return 1
    except UsageError as error:
        _complain(f"toolfold: {error}")
        return 2
    except ModuleNotFoundError as error:
        return _missing(error, options)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _bug(error)


def _missing(error: ModuleNotFoundError, options: argparse.Namespace) -> int:
    # A distribution that is missing raises this too, under its own name.
    module = (error.name or "").split(".")[0].replace("-", "_")
    for extra, (what, modules) in _EXTRAS.items():
        if module in modules:
            _complain(f"toolfold {options.command} needs {what}: pip install 'toolfold[{extra}]'")
            return 2
    return _bug(error)


def _generate(options: argparse.Namespace) -> int:
    from toolfold.implementation.examine import examine
    from toolfold.project import generate, project_at

    project = project_at(options.manifest, options.output, use_cache=options.cache)
    if options.watch:
        from toolfold.watch import watch_and_generate

        def tell(done: "Regenerated | Refused") -> None:
            _tell(done, project.output, options)
            if not isinstance(done, Exception):
                found = examine(project.manifest, project.output, "warning", may_write=True)
                _print_findings(found.problems, [], options)
                _print_stub(found.stub, options)

        watch_and_generate(project, tell)
        return 0
    done = generate(project, _progress())
    examined = examine(project.manifest, project.output, "warning", may_write=True)
    _print_findings([*done.warnings, *examined.problems], [], options)
    if not options.quiet:
        out = sys.stdout if options.format == "text" else sys.stderr
        print(_counts(done.written, project.output), file=out)
        print(f"exposure: {done.exposure}", file=out)
        if examined.written:
            print(f"{examined.written}: written; its methods wait for you", file=out)
    _print_stub(examined.stub, options)
    return _ready_to_commit(project.output, done.written) if options.for_commit else 0


def _counts(written: "Written", output: Path) -> str:
    counts = f"{len(written.written)} written, {written.unchanged} unchanged"
    removed = f", {len(written.removed)} removed" if written.removed else ""
    return f"{output}/: {counts}{removed}"


def _tell(done: "Regenerated | Refused", output: Path, options: argparse.Namespace) -> None:
    """What a save came to: its findings, or what it changed and now costs."""
    if isinstance(done, ManifestError):
        _print_findings(done.problems, [], argparse.Namespace(format=options.format))
        _complain(f"{output}/: left as it was")
    elif isinstance(done, OutputError | UsageError):
        _complain(str(done))
    else:
        _print_findings(done.warnings, [], options)
        print("\n".join([_counts(done.written, output), *(f"  {line}" for line in done.costs)]))
        print(f"exposure: {done.exposure}")
    sys.stdout.flush()


def _ready_to_commit(output: Path, written: "Written | None") -> int:
    """1 where a commit would miss something: what was just written, and what git does not know."""
    from toolfold.commit import unknown_to_git

    unknown = unknown_to_git(output)
    for path in unknown[:_MOST_SHOWN]:
        _complain(f"{path}: generated, and not added to git")
    if len(unknown) > _MOST_SHOWN:
        _complain(f"and {len(unknown) - _MOST_SHOWN} more")
    changed = written is not None and bool(written.written or written.removed)
    if changed or unknown:
        _complain(f"stage what was generated: git add {output}")
    return 1 if changed or unknown else 0


def _check(options: argparse.Namespace) -> int:
    from toolfold.implementation.examine import examine
    from toolfold.project import check, project_at

    project = project_at(options.manifest, options.output, use_cache=options.cache)
    done = check(project, _progress())
    drift = [Drift(project.output, difference) for difference in done.differences]
    examined = examine(project.manifest, project.output, "error", may_write=False)
    _print_findings([*done.warnings, *examined.problems], drift, options)
    _print_stub(examined.stub, options)
    if options.format == "text" and not drift:
        for notice in examined.notices:
            _complain(f"notice: {notice}")
    if options.diff and options.format == "text":
        for difference in done.differences:
            print(difference.diff(), end="")
    if drift:
        _complain("run `toolfold generate` and commit the result")
        return 1
    is_refused = options.strict and any(p.code in _STRICT for p in done.warnings)
    if is_refused or examined.problems:
        return 1
    return _ready_to_commit(project.output, None) if options.for_commit else 0


def _progress() -> Callable[[int, int], None]:
    """A line that counts up while long work runs; only on a terminal."""
    is_watched = sys.stderr.isatty()

    def show(done: int, total: int) -> None:
        if is_watched:
            end = "" if done < total else "\r\x1b[K"
            print(f"\rmodels: {done} of {total} tools", end=end, file=sys.stderr, flush=True)

    return show


def _budget(options: argparse.Namespace) -> int:
    from toolfold.budget import budget_report

    report_ = budget_report(options.manifest)
    is_json = options.format == "json"
    print(report_.json() if is_json else report_.text(with_bars=sys.stdout.isatty()))
    return 0


def _schema(_: argparse.Namespace) -> int:
    from toolfold.manifest.json_schema import manifest_schema

    print(json.dumps(manifest_schema(), indent=2))
    return 0


def _init(options: argparse.Namespace) -> int:
    from toolfold.init import init

    for line in init(options.folder, options.name, _extras(options)):
        print(line)
    folder = "" if options.folder == Path() else f"cd {options.folder} && "
    print(f'next: {folder}toolfold generate && toolfold try hello \'{{"name": "Ada"}}\'')
    return 0


def _extras(options: argparse.Namespace) -> frozenset[str]:
    return frozenset(extra for extra in ("pytest", "github") if getattr(options, extra))


def _import_tools(options: argparse.Namespace) -> int:
    from toolfold.importing.run import import_tools

    done = import_tools(options.files, options.output, options.name, force=options.force)
    _print_findings(done.warnings, [], options)
    state = "unchanged" if done.is_unchanged else "written"
    out = sys.stdout if options.format == "text" else sys.stderr
    counts = f"{done.tools} tools in {done.categories} categories"
    print(f"{done.path}: {state}: {counts}", file=out)
    return 0


def _docs_build(options: argparse.Namespace) -> int:
    from toolfold.project import check, project_at
    from toolfold.site.build import build_site, require_builder

    require_builder()
    project = project_at(options.manifest, options.output, use_cache=options.cache)
    done = check(project, _progress())
    drift = [Drift(project.output, difference) for difference in done.differences]
    _print_findings(done.warnings, drift, options)
    if drift:
        _complain("run `toolfold generate` and commit the result")
        return 1
    changes = ""
    if options.since is not None:
        from toolfold.site.since import changes_since

        changes = changes_since(options.manifest, options.since)
    site = build_site(project.output, options.site or options.manifest.parent / "site", changes)
    out = sys.stdout if options.format == "text" else sys.stderr
    print(f"{site.folder}/: {site.pages} pages", file=out)
    return 0


def _docs_serve(options: argparse.Namespace) -> int:
    from toolfold.project import project_at
    from toolfold.site.preview import preview

    project = project_at(options.manifest, options.output)
    address = f"{options.host}:{options.port}"
    return preview(project, address, lambda done: _tell(done, project.output, options))


def _serve(options: argparse.Namespace) -> int:
    if options.reload:
        from toolfold.reload import serve_and_reload

        return serve_and_reload(options, _complain)
    from toolfold_runtime.serve import serve_with

    from toolfold.generated import load_server

    server = load_server(options.manifest, options.output)
    return serve_with(server.CATALOG, server.META_TOOLS, server.ROOT, options)


def _try(options: argparse.Namespace) -> int:
    from toolfold.generated import try_tool

    answer = try_tool(options.manifest, options.output, options.tool, options.arguments)
    print(answer.text)
    return 1 if answer.is_error else 0


def _search(options: argparse.Namespace) -> int:
    from toolfold.searching import search_of

    found = search_of(options.manifest, options.search).explained(options.query, options.limit)
    print(found.json() if options.json else found.text())
    return 0


def _eval(options: argparse.Namespace) -> int:
    from toolfold.evaluate import evaluate, read_queries, write_rankings
    from toolfold.searching import search_of

    queries = read_queries(options.queries)
    search = search_of(options.manifest, options.search)
    done = evaluate(queries, search.ranked_ids, search.ids.values())
    if options.rankings is not None:
        write_rankings(done, options.rankings)
    print(done.json() if options.json else done.text())
    return 0


def _print_findings(
    problems: Sequence[Problem], drift: Sequence[Drift], options: argparse.Namespace
) -> None:
    """One JSON document or one list of annotations on stdout; in text, results and problems."""
    form: Format = getattr(options, "format", "text")
    if form != "text":
        print(machine_report(problems, drift, form))
        return
    everything = getattr(options, "verbose", True)
    in_full = [p for p in problems if everything or p.severity == "error"]
    in_short = [p for p in problems if not everything and p.severity != "error"]
    for text in (report(in_full), summary(in_short)):
        if text:
            _complain(text)
    for found in drift:
        print(found)


def _print_stub(stub: str, options: argparse.Namespace) -> None:
    """What to paste into the implementation; machines find it in the hints."""
    if stub and options.format == "text":
        _complain(f"paste into the class:\n\n{stub}")


def _complain(text: str) -> None:
    print(text, file=sys.stderr)


def _bug(error: BaseException) -> int:
    traceback.print_exception(error)
    _complain(f"\nthis is a bug in toolfold {__version__}; please report it with the lines above")
    return 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n  see `{self.prog} --help`\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="toolfold", description=__import__("toolfold").__doc__)
    parser.add_argument("--version", action="version", version=f"toolfold {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_init(commands)
    _add_generate(commands)
    _add_check(commands)
    schema = commands.add_parser("schema", help="print the manifest's JSON Schema for editors")
    schema.set_defaults(run=_schema)
    _add_budget(commands)
    _add_serve(commands)
    _add_try(commands)
    _add_search(commands)
    _add_eval(commands)
    _add_import(commands)
    _add_docs(commands)
    return parser


def _add_init(commands: Any) -> None:
    init = commands.add_parser("init", help="write a small working server to start from")
    init.add_argument("folder", nargs="?", type=Path, default=Path(), help="default: this folder")
    init.add_argument("--name", help="the server's name; default: the folder's")
    init.add_argument("--pytest", action="store_true", help="also a test that runs `check`")
    init.add_argument("--github", action="store_true", help="also workflows: check, publish docs")
    init.set_defaults(run=_init)


def _add_generate(commands: Any) -> None:
    generate = commands.add_parser("generate", help="generate the package and the docs")
    _add_places(generate)
    _add_findings(generate)
    generate.add_argument("-q", "--quiet", action="store_true", help="say nothing on success")
    generate.add_argument("--watch", action="store_true", help="again after every save")
    _add_commit(generate)
    generate.set_defaults(run=_generate)


def _add_check(commands: Any) -> None:
    check = commands.add_parser("check", help="is the generated output current?")
    _add_places(check)
    _add_findings(check)
    check.add_argument("--diff", action="store_true", help="show how files differ")
    check.add_argument(
        "--strict", action="store_true", help="fail where a prompt does not find its tool"
    )
    _add_commit(check)
    check.set_defaults(run=_check)


def _add_budget(commands: Any) -> None:
    budget = commands.add_parser("budget", help="what every view and tool costs in tokens")
    budget.add_argument(
        "-m", "--manifest", type=Path, default=Path("tools.yaml"), help="default: tools.yaml"
    )
    budget.add_argument("--format", choices=("text", "json"), default="text")
    budget.set_defaults(run=_budget)


def _add_serve(commands: Any) -> None:
    from toolfold_runtime.serve import add_options

    serve = commands.add_parser("serve", help="serve the generated package over stdio or HTTP")
    _add_places(serve)
    add_options(serve)
    serve.add_argument("--reload", action="store_true", help="restart after every save")
    serve.set_defaults(run=_serve)


def _add_try(commands: Any) -> None:
    try_ = commands.add_parser("try", help="call one tool in this process")
    try_.add_argument("tool")
    try_.add_argument("arguments", nargs="?", default="{}", metavar="JSON", help="default: {}")
    _add_places(try_)
    try_.set_defaults(run=_try)


def _add_search(commands: Any) -> None:
    search = commands.add_parser("search", help="what agents would find, and why")
    search.add_argument("query")
    search.add_argument("--limit", type=_positive, default=5, help="default: 5")
    _add_search_options(search)
    search.set_defaults(run=_search)


def _add_eval(commands: Any) -> None:
    eval_ = commands.add_parser("eval", help="how well search finds what labelled queries need")
    eval_.add_argument("queries", type=Path, metavar="QUERIES.jsonl")
    eval_.add_argument("--rankings", type=Path, metavar="OUT.jsonl", help="write what was found")
    _add_search_options(eval_)
    eval_.set_defaults(run=_eval)


def _add_search_options(parser: argparse.ArgumentParser) -> None:
    from toolfold_runtime.serve import STRATEGIES

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
    tools.set_defaults(run=_import_tools)


def _add_docs(commands: Any) -> None:
    docs = commands.add_parser("docs", help="the generated docs as a static site")
    kinds = docs.add_subparsers(dest="kind", metavar="KIND", required=True)
    build = kinds.add_parser("build", help="build the site")
    _add_places(build)
    _add_findings(build)
    build.add_argument("--site", type=Path, help="default: site/ beside the manifest")
    build.add_argument("--since", metavar="REV", help="add what changed since a git revision")
    build.set_defaults(run=_docs_build)
    serve = kinds.add_parser("serve", help="preview the site, built again after every save")
    _add_places(serve)
    serve.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1")
    serve.add_argument("--port", type=int, default=8001, help="default: 8001")
    serve.set_defaults(run=_docs_serve, format="text", verbose=False)


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


if __name__ == "__main__":
    sys.exit(main())
