"""One function per command: run it with the parsed arguments, print its result, give an exit code.

Each imports what it needs when it runs, so that `--help` and a cached `check` are quick.
"""

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolfold.cli.author import compare_class, find_type_problems
from toolfold.cli.printing import Printer, complain, progress
from toolfold.cli.servers import live_problems
from toolfold.errors import ManifestError, OutputError, Severity, UsageError
from toolfold.report import Drift, printable, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolfold.commands.generate import Project
    from toolfold.develop.watch import Outcome
    from toolfold.emit.output import Written
    from toolfold.plan.model import Summary

# Warnings that `check --strict` does not let pass.
_STRICT: Final = ("retrieval",)
_MOST_SHOWN: Final = 5


def generate(options: argparse.Namespace) -> int:
    """Generate once, or with `--watch` after every save."""
    from toolfold.commands.generate import generate as bring_up_to_date

    project, printer = _project(options), _printer(options)
    if options.watch:
        return _watch(project, printer)
    done = bring_up_to_date(project, progress())
    severity: Severity = "error" if options.for_commit else "warning"
    comparison = compare_class(project, done.summary, done.files, severity, may_write=True)
    printer.problems([*done.summary.warnings, *comparison.problems])
    if not options.quiet:
        printer.result(_counts(done.written, project.output))
        printer.result(_exposure(done.summary))
        if comparison.written:
            printer.result(f"{comparison.written}: written; its methods wait for you")
    printer.stub(comparison.stub)
    if not options.for_commit:
        return 0
    return _ready_to_commit(project.output, done.written) or int(bool(comparison.problems))


def _watch(project: "Project", printer: Printer) -> int:
    from toolfold.develop.watch import watch_and_generate

    def show(outcome: "Outcome") -> None:
        _print_outcome(outcome, project.output, printer)
        if not isinstance(outcome, Exception):
            done = outcome.compiled
            comparison = compare_class(project, done.summary, done.files, "warning", may_write=True)
            printer.problems(comparison.problems)
            printer.stub(comparison.stub)

    watch_and_generate(project, show)
    return 0


def check(options: argparse.Namespace) -> int:
    """Print what is not current; 1 where anything is not."""
    from toolfold.commands.generate import check as compare_output

    project, printer = _project(options), _printer(options)
    done = compare_output(project, progress())
    drift = [Drift(project.output, difference) for difference in done.differences]
    comparison = compare_class(project, done.summary, done.files, "error", may_write=False)
    problems = comparison.problems
    if options.types and not drift:  # models that are not current would give wrong findings
        problems += find_type_problems(project, done.summary.protocol, problems)
    live = live_problems(options) if options.live else []
    printer.problems([*done.summary.warnings, *problems], drift, live)
    printer.stub(comparison.stub)
    if options.format == "text":
        for notice in comparison.notices if not drift else ():
            complain(f"notice: {notice}")
        for difference in done.differences if options.diff else ():
            print(printable(difference.diff()), end="")
    if drift:
        return _out_of_date()
    is_refused = options.strict and any(p.code in _STRICT for p in done.summary.warnings)
    is_refused = is_refused or any(
        detailed_problem.problem.severity == "error" for detailed_problem in live
    )
    if is_refused or problems:
        return 1
    return _ready_to_commit(project.output, None) if options.for_commit else 0


def stubs(options: argparse.Namespace) -> int:
    """Print every tool as a typed function, or write them to a file."""
    from toolfold.commands.stubs import stubs_text, write_stubs

    text = stubs_text(options.manifest)
    if options.output is None:
        print(text, end="")
        return 0
    is_written = write_stubs(options.output, text, Path())
    print(f"{shown(str(options.output))}: {'written' if is_written else 'unchanged'}")
    return 0


def budget(options: argparse.Namespace) -> int:
    """Print what every view and tool costs."""
    from toolfold.cli.results import budget_json, budget_text
    from toolfold.commands.budget import budget_report

    if options.tiers:
        return _budget_tiers(options)
    costs = budget_report(options.manifest)
    is_json = options.format == "json"
    print(budget_json(costs) if is_json else budget_text(costs, with_bars=sys.stdout.isatty()))
    return 0


def _budget_tiers(options: argparse.Namespace) -> int:
    """Print what each step into the catalog costs; 1 where one exceeds its limit."""
    from toolfold.cli.results import tiers_json, tiers_text
    from toolfold.commands.budget_tiers import tiers_report

    report = tiers_report(options.manifest)
    print(tiers_json(report) if options.format == "json" else tiers_text(report))
    over = [tier for tier in report.tiers if tier.is_over]
    for tier in over:
        complain(f"{tier.name}: {tier.tokens:,} tokens exceed {tier.limit:,}; {tier.way_out}")
    return 1 if over else 0


def schema(_: argparse.Namespace) -> int:
    """Print the manifest's JSON Schema."""
    from toolfold.manifest.editor_schema import manifest_schema

    print(json.dumps(manifest_schema(), indent=2))
    return 0


def init(options: argparse.Namespace) -> int:
    """Write a small working server."""
    from toolfold.commands.init import init as write_project

    extras = frozenset(extra for extra in ("pytest", "github") if getattr(options, extra))
    for line in write_project(options.folder, options.name, extras):
        print(printable(line))
    folder = "" if options.folder == Path() else f"cd {shlex.quote(str(options.folder))} && "
    print(f'next: {folder}toolfold generate && toolfold try hello \'{{"name": "Ada"}}\'')
    return 0


def import_tools(options: argparse.Namespace) -> int:
    """Write a manifest of other people's tools."""
    from toolfold.importing.run import import_tools

    printer = _printer(options)
    done = import_tools(options.files, options.output, options.name, force=options.force)
    printer.problems(done.warnings)
    state = "unchanged" if done.is_unchanged else "written"
    counts = f"{done.tools} tools in {done.categories} categories"
    printer.result(f"{done.path}: {state}: {counts}")
    return 0


def docs_build(options: argparse.Namespace) -> int:
    """Build the site of the docs; 1 where they are not current."""
    from toolfold.commands.generate import check as compare_output
    from toolfold.site.build import build_site, require_builder
    from toolfold.site.files import project_sources

    require_builder()
    if options.pages is not None:
        return _pages_build(options.pages, options.site, options.url)
    project, printer = _project(options), _printer(options)
    done = compare_output(project, progress())
    drift = [Drift(project.output, difference) for difference in done.differences]
    printer.problems(done.summary.warnings, drift)
    if drift:
        return _out_of_date()
    folder = options.manifest.parent
    sources = project_sources(folder, project.output, dict(_more_pages(options)))
    site = build_site(sources.at(options.url), options.site or folder / "site", folder)
    printer.result(f"{site.folder}/: {site.pages} pages")
    return 0


def _pages_build(description: Path, target: Path | None, url: str | None) -> int:
    """Build a site of somebody's own pages."""
    from toolfold.site.build import build_site
    from toolfold.site.own_site import own_sources

    folder = description.parent
    site = build_site(own_sources(description).at(url), target or folder / "site", folder)
    print(f"{printable(str(site.folder))}/: {site.pages} pages")
    return 0


def _more_pages(options: argparse.Namespace) -> "Iterator[tuple[str, str]]":
    """Title and text of the pages that a build adds only where it is asked to."""
    if options.since is not None:
        from toolfold.site.since import changes_since

        yield "Changes", changes_since(options.manifest, options.since)
    if options.usage not in (None, "off"):
        from toolfold.site.live_usage import live_usage

        yield "Usage", live_usage(options.manifest, options.usage)


def docs_serve(options: argparse.Namespace) -> int:
    """Preview the site until interrupted."""
    from toolfold.site.preview import preview

    project, printer = _project(options), _printer(options)

    def show(done: "Outcome") -> None:
        _print_outcome(done, project.output, printer)

    def say(line: str) -> None:
        printer.result(line)
        sys.stdout.flush()

    return preview(project, options.host, options.port, show, say)


def serve(options: argparse.Namespace) -> int:
    """Serve the generated package until the client goes away."""
    if options.reload and options.workers > 1:
        raise UsageError("--workers does not go with --reload, which restarts one server")
    if options.reload:
        from toolfold.develop.reload import serve_and_reload

        command = [argument for argument in options.given if argument != "--reload"]
        return serve_and_reload(_project(options), command, complain, over_http=options.http)
    from toolfold_runtime.serving.options import serve_options
    from toolfold_runtime.serving.serve import serve_with

    from toolfold.commands.call import load_server

    server = load_server(options.manifest, options.output)
    return serve_with(server.catalog, server.meta_tools, server.root, serve_options(options))


def try_(options: argparse.Namespace) -> int:
    """Print the answer of one tool; 1 where it is an error."""
    from toolfold.commands.call import try_tool

    if _is_behind(options):
        changed = f"{options.manifest} was changed since it was generated"
        complain(f"notice: {changed}; run `toolfold generate`")
    call = try_tool
    if options.dry_run:
        from toolfold.commands.dry_run import dry_run

        call = dry_run
    answer = call(options.manifest, options.output, options.tool, options.arguments)
    # A program gets it as it is.
    print(printable(answer.text) if sys.stdout.isatty() else answer.text)
    return 1 if answer.is_error else 0


def search(options: argparse.Namespace) -> int:
    """Print what agents would find, and why."""
    from toolfold.cli.results import search_json, search_text
    from toolfold.commands.search import search_of

    search = search_of(options.manifest, options.search)
    results = search.finder.find(options.query, options.limit)
    print(search_json(search, results) if options.json else search_text(search, results))
    return 0


def eval_(options: argparse.Namespace) -> int:
    """Print how well search finds what labelled queries need."""
    from toolfold.cli.results import evaluation_json, evaluation_text
    from toolfold.commands.evaluate import evaluate, read_queries, write_rankings
    from toolfold.commands.search import search_of

    queries = read_queries(options.queries)
    search = search_of(options.manifest, options.search)
    done = evaluate(queries, search.ranked_ids, search.ids.values())
    if options.rankings is not None:
        write_rankings(done, options.rankings)
    print(evaluation_json(done) if options.json else evaluation_text(done))
    return 0


def _printer(options: argparse.Namespace) -> Printer:
    return Printer(options.format, options.verbose)


def _project(options: argparse.Namespace) -> "Project":
    from toolfold.commands.generate import project_at

    return project_at(options.manifest, options.output, use_cache=options.cache)


def _is_behind(options: argparse.Namespace) -> bool:
    """Whether what is called is not what the manifest says now, as far as that is known."""
    try:
        from toolfold.commands.generate import is_behind

        return is_behind(_project(options))
    except (
        ModuleNotFoundError,
        UsageError,
    ):  # no generator here, or none generates into the folder
        return False


def _print_outcome(outcome: "Outcome", output: Path, printer: Printer) -> None:
    """Print what came of a save: its problems, or what it changed and now costs."""
    if isinstance(outcome, ManifestError):
        printer.refusal(outcome)
        complain(f"{output}/: left as it was")
    elif isinstance(outcome, OutputError | UsageError):
        complain(str(outcome))
    else:
        summary = outcome.compiled.summary
        printer.problems(summary.warnings)
        printer.result(_counts(outcome.written, output))
        for cost in outcome.changed_costs:
            printer.result(f"  {cost}")
        printer.result(_exposure(summary))
    sys.stdout.flush()


def _counts(written: "Written", output: Path) -> str:
    counts = f"{len(written.written)} written, {written.unchanged} unchanged"
    removed = f", {len(written.removed)} removed" if written.removed else ""
    return f"{output}/: {counts}{removed}"


def _exposure(summary: "Summary") -> str:
    """The exposure that was chosen, and what listing every tool or the inventory costs."""
    from toolfold.plan.disclosure.costs import cost_of, start_tokens

    direct, start = cost_of(summary.costs, "direct"), start_tokens(summary.costs)
    return (
        f"exposure: {summary.exposure} (every tool listed: {direct:,} tokens; inventory: {start:,})"
    )


def _out_of_date() -> int:
    complain("run `toolfold generate` and commit the result")
    return 1


def _ready_to_commit(output: Path, written: "Written | None") -> int:
    """1 where a commit would miss something: what was just written, and what git does not know."""
    from toolfold.commands.git import unknown_to_git

    unknown = unknown_to_git(output)
    for path in unknown[:_MOST_SHOWN]:
        complain(f"{shown(path)}: generated, and not added to git")
    if len(unknown) > _MOST_SHOWN:
        complain(f"and {len(unknown) - _MOST_SHOWN} more")
    is_changed = written is not None and bool(written.written or written.removed)
    if is_changed or unknown:
        complain(f"stage what was generated: git add {output}")
    return 1 if is_changed or unknown else 0
