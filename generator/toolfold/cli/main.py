"""The `toolfold` command: arguments in, exit code out. The only module that prints.

Each command imports what it needs when it runs, so that `--help` and a cached `check` are quick.
"""

import argparse
import json
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolfold import __version__
from toolfold.cli.arguments import parser
from toolfold.cli.report import Drift, Format, machine_report, report, summary
from toolfold.errors import ManifestError, OutputError, Problem, UsageError

if TYPE_CHECKING:
    from toolfold.develop.watch import Refused, Regenerated
    from toolfold.emit.output import Written

# Warnings that `check --strict` does not let pass.
_STRICT: Final = ("retrieval",)
_MOST_SHOWN: Final = 5
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
    options = parser().parse_args(arguments)
    options.given = list(sys.argv[1:] if arguments is None else arguments)
    command = _COMMANDS[options.run]
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
    from toolfold.commands.generate import generate, project_at
    from toolfold.implementation.compare import examine

    project = project_at(options.manifest, options.output, use_cache=options.cache)
    if options.watch:
        from toolfold.develop.watch import watch_and_generate

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
    from toolfold.commands.git import unknown_to_git

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
    from toolfold.commands.generate import check, project_at
    from toolfold.implementation.compare import examine

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
    from toolfold.commands.budget import budget_report

    report_ = budget_report(options.manifest)
    is_json = options.format == "json"
    print(report_.json() if is_json else report_.text(with_bars=sys.stdout.isatty()))
    return 0


def _schema(_: argparse.Namespace) -> int:
    from toolfold.manifest.editor_schema import manifest_schema

    print(json.dumps(manifest_schema(), indent=2))
    return 0


def _init(options: argparse.Namespace) -> int:
    from toolfold.commands.init import init

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
    from toolfold.commands.generate import check, project_at
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
    from toolfold.commands.generate import project_at
    from toolfold.site.preview import preview

    project = project_at(options.manifest, options.output)
    address = f"{options.host}:{options.port}"
    return preview(project, address, lambda done: _tell(done, project.output, options))


def _serve(options: argparse.Namespace) -> int:
    if options.reload:
        from toolfold.develop.reload import serve_and_reload

        return serve_and_reload(options, _complain)
    from toolfold_runtime.serving.options import serve_options
    from toolfold_runtime.serving.serve import serve_with

    from toolfold.commands.call import load_server

    server = load_server(options.manifest, options.output)
    return serve_with(server.CATALOG, server.META_TOOLS, server.ROOT, serve_options(options))


def _try(options: argparse.Namespace) -> int:
    from toolfold.commands.call import try_tool

    answer = try_tool(options.manifest, options.output, options.tool, options.arguments)
    print(answer.text)
    return 1 if answer.is_error else 0


def _search(options: argparse.Namespace) -> int:
    from toolfold.commands.search import search_of

    found = search_of(options.manifest, options.search).explained(options.query, options.limit)
    print(found.json() if options.json else found.text())
    return 0


def _eval(options: argparse.Namespace) -> int:
    from toolfold.commands.evaluate import evaluate, read_queries, write_rankings
    from toolfold.commands.search import search_of

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


_COMMANDS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "budget": _budget,
    "check": _check,
    "docs_build": _docs_build,
    "docs_serve": _docs_serve,
    "eval": _eval,
    "generate": _generate,
    "import_tools": _import_tools,
    "init": _init,
    "schema": _schema,
    "search": _search,
    "serve": _serve,
    "try": _try,
}


if __name__ == "__main__":
    sys.exit(main())
