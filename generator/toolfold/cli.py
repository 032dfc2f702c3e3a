"""The `toolfold` command: arguments in, exit code out. The only module that prints.

Each command imports what it needs when it runs, so that `--help` and a cached `check` are quick.
"""

import argparse
import json
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from toolfold import __version__
from toolfold.errors import ManifestError, OutputError, Problem, UsageError
from toolfold.report import Format, report, summary

_EXTRA = ("yaml", "jinja2", "datamodel_code_generator", "ruff", "splintr")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 fine, 1 findings, 2 wrong use or a failure of ours."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.run
    try:
        return command(options)
    except ManifestError as error:
        _print_problems(error.problems, options)
        return 1
    except OutputError as error:
        _complain(str(error))
        return 1
    except UsageError as error:
        _complain(f"toolfold: {error}")
        return 2
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _EXTRA:
            return _bug(error)
        command_name = f"toolfold {options.command}"
        _complain(f"{command_name} needs the generator: pip install 'toolfold[generate]'")
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _bug(error)


def _generate(options: argparse.Namespace) -> int:
    from toolfold.compile import compile_manifest, default_output
    from toolfold.emit.tree import write_tree

    output = default_output(options.manifest, options.output)
    compiled = compile_manifest(options.manifest, output, use_cache=options.cache)
    done = write_tree(compiled.files, output)
    _print_warnings(compiled.warnings, options)
    if not options.quiet:
        counts = f"{len(done.written)} written, {done.unchanged} unchanged"
        removed = f", {len(done.removed)} removed" if done.removed else ""
        print(f"{output}/: {counts}{removed}")
    return 0


def _check(options: argparse.Namespace) -> int:
    from toolfold.compile import compile_manifest, default_output
    from toolfold.emit.tree import compare_tree

    output = default_output(options.manifest, options.output)
    compiled = compile_manifest(options.manifest, output, use_cache=options.cache)
    differences = compare_tree(compiled.files, output)
    _print_warnings(compiled.warnings, options)
    for difference in differences:
        print(_difference_line(difference, output, options.format))
        if options.diff:
            print(difference.diff(), end="")
    if differences:
        _complain("run `toolfold generate` and commit the result")
    return 1 if differences else 0


def _difference_line(difference: Any, output: Path, form: str) -> str:
    path = (output / difference.path).as_posix()
    if difference.kind == "changed":
        added, removed = difference.counts()
        fact = f"out of date (+{added} -{removed})"
    else:
        fact = {"missing": "missing", "left over": "no longer generated"}[difference.kind]
    if form == "json":
        return json.dumps({"file": path, "kind": difference.kind, "fact": fact})
    if form == "github":
        return f"::error file={path},title=toolfold::{fact}; run toolfold generate"
    return f"{path}: {fact}"


def _schema(_: argparse.Namespace) -> int:
    from toolfold.manifest.json_schema import manifest_schema

    print(json.dumps(manifest_schema(), indent=2))
    return 0


def _init(options: argparse.Namespace) -> int:
    from toolfold.init import init

    for path in init(options.folder, options.name):
        print(f"{path}: written")
    folder = "" if options.folder == Path() else f"cd {options.folder} && "
    print(f'next: {folder}toolfold generate && toolfold try hello \'{{"name": "Ada"}}\'')
    return 0


def _import_tools(options: argparse.Namespace) -> int:
    from toolfold.importing.run import import_tools

    done = import_tools(options.files, options.output, options.name, force=options.force)
    state = "unchanged" if done.is_unchanged else "written"
    print(f"{done.path}: {state}: {done.tools} tools in {done.categories} categories")
    _print_warnings(done.warnings, options)
    return 0


def _serve(options: argparse.Namespace) -> int:
    from toolfold.generated import load_server

    server = load_server(options.manifest, options.output)
    code: int = server.main()
    return code


def _try(options: argparse.Namespace) -> int:
    from toolfold.generated import try_tool

    answer = try_tool(options.manifest, options.output, options.tool, options.arguments)
    print(answer.text)
    return 1 if answer.is_error else 0


def _print_problems(problems: Sequence[Problem], options: argparse.Namespace) -> None:
    if problems:
        form: Format = getattr(options, "format", "text")
        # Annotations and JSON are results for a machine; text is for the person at the terminal.
        print(report(problems, form), file=sys.stderr if form == "text" else sys.stdout)


def _print_warnings(problems: Sequence[Problem], options: argparse.Namespace) -> None:
    """Warnings in text are grouped and counted, unless all are asked for."""
    if options.format != "text" or options.verbose:
        _print_problems(problems, options)
    elif problems:
        _complain(summary(problems))


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
    serve = commands.add_parser("serve", help="serve the generated package over stdio")
    _add_places(serve)
    serve.set_defaults(run=_serve)
    _add_try(commands)
    _add_import(commands)
    return parser


def _add_init(commands: Any) -> None:
    init = commands.add_parser("init", help="write a small working server to start from")
    init.add_argument("folder", nargs="?", type=Path, default=Path(), help="default: this folder")
    init.add_argument("--name", help="the server's name; default: the folder's")
    init.set_defaults(run=_init)


def _add_generate(commands: Any) -> None:
    generate = commands.add_parser("generate", help="generate the package and the docs")
    _add_places(generate)
    _add_findings(generate)
    generate.add_argument("-q", "--quiet", action="store_true", help="say nothing on success")
    generate.set_defaults(run=_generate)


def _add_check(commands: Any) -> None:
    check = commands.add_parser("check", help="is the generated output current?")
    _add_places(check)
    _add_findings(check)
    check.add_argument("--diff", action="store_true", help="show how files differ")
    check.set_defaults(run=_check)


def _add_try(commands: Any) -> None:
    try_ = commands.add_parser("try", help="call one tool in this process")
    try_.add_argument("tool")
    try_.add_argument("arguments", nargs="?", default="{}", metavar="JSON", help="default: {}")
    _add_places(try_)
    try_.set_defaults(run=_try)


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
