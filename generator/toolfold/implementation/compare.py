"""Holding the user's class to the generated protocol, and writing it once where there is none."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

from toolfold_runtime.contract import files
from toolfold_runtime.contract.server import read_facts

from toolfold.errors import Place, Problem, Severity, Source
from toolfold.implementation.classes import Module, Reader
from toolfold.implementation.scaffold import Protocol, protocol_of
from toolfold.plan.text.header import header_for

_CODE: Final = "implementation"


@dataclass(frozen=True)
class Examined:
    """What the class lacks: problems, the stub that mends them, notices of what was not seen."""

    problems: tuple[Problem, ...] = ()
    stub: str = ""
    notices: tuple[str, ...] = ()
    written: Path | None = None


@dataclass(frozen=True)
class _Declared:
    """The implementation that a generated package declares."""

    module: str
    name: str
    protocol: Protocol


def examine(manifest: Path, output: Path, severity: Severity, *, may_write: bool) -> Examined:
    """Compare the class that the manifest names with the protocol in `output`.

    Where there is no file and one may be written, a class to start from is; nothing that is there
    is ever written again.
    """
    declared = _declared(manifest, output)
    if declared is None:
        return Examined()
    if isinstance(declared, str):
        return Examined(notices=(declared,))
    folder = manifest.parent
    module = Reader(folder, declared.protocol.package).module(declared.module)
    if module is not None:
        return _compared(folder, module, declared, severity)
    if _is_installed(declared.module):
        notice = f"{declared.module} is not beside the manifest; its methods were not looked at"
        return Examined(notices=(notice,))
    return _absent(folder, declared, severity, may_write=may_write)


def _declared(manifest: Path, output: Path) -> "_Declared | str | None":
    """What the package generated from this manifest declares; a notice where that is nothing."""
    for handlers in sorted(output.glob("*/handlers.py")):
        package = handlers.parent.name
        text = handlers.read_text(encoding="utf-8")
        if text.partition("\n")[0] != f"# {header_for(manifest.name, package)}":
            continue
        facts = read_facts(json.loads((handlers.parent / "catalog" / files.SERVER).read_bytes()))
        if facts is None:
            continue  # of another version: it is out of date, which is reported elsewhere
        if facts.implementation is None:
            return "no `implementation` is declared: the tools are described and cannot be called"
        module, _, name = facts.implementation.partition(":")
        return _Declared(module, name, protocol_of(text, package))
    return None


def _compared(folder: Path, module: Module, declared: _Declared, severity: Severity) -> Examined:
    reader = Reader(folder, declared.protocol.package)
    source = Source(str(module.path), module.text)
    try:
        place = _place(source, module, declared.name)
        found = reader.methods(module, declared.name)
    except SyntaxError as error:
        at = Place(Source(str(error.filename or module.path), ""), error.lineno or 1, 1)
        fact = f"Python cannot read it: {error.msg}"
        return Examined((Problem(at, declared.name, fact, "", severity, _CODE),))
    if not module.names(declared.name):
        hint = "declare it, or name another class under `server.implementation`"
        fact = f'no class "{declared.name}"'
        return Examined((Problem(place, declared.module, fact, hint, severity, _CODE),))
    missing = [name for name in declared.protocol.methods if name not in found.methods]
    if not missing:
        return Examined()
    stub = declared.protocol.stub(missing)
    if found.unseen:
        unseen = ", ".join(dict.fromkeys(found.unseen))
        notice = f"{module.path}: {declared.name} may get {len(missing)} methods from {unseen}, which was not looked into"
        return Examined(notices=(notice,))
    problems = _missing(missing, place, declared, severity)
    return Examined(tuple(problems), stub)


def _missing(
    names: list[str], place: Place, declared: _Declared, severity: Severity
) -> Iterator[Problem]:
    for name in names:
        fact = f'no method "{name}", which carries out a tool'
        hint = declared.protocol.stub([name])
        yield Problem(place, declared.name, fact, hint, severity, _CODE)


def _absent(folder: Path, declared: _Declared, severity: Severity, *, may_write: bool) -> Examined:
    """No file: the scaffold is written, or its absence told."""
    path = folder.joinpath(*declared.module.split(".")).with_suffix(".py")
    in_the_way = [p.with_suffix(".py") for p in path.relative_to(folder).parents if p.name]
    taken = [p for p in in_the_way if (folder / p).exists()]
    if may_write and not taken and not path.is_symlink():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(_formatted(declared.protocol.scaffold(declared.name)))
        return Examined(written=path)
    fact = f"{taken[0]} is a module, so nothing can be below it" if taken else "no such file"
    hint = (
        "name another module under `server.implementation`" if taken else "run `toolfold generate`"
    )
    place = Place(Source(str(path), ""), 1, 1)
    return Examined((Problem(place, declared.name, fact, hint, severity, _CODE),))


def _place(source: Source, module: Module, name: str) -> Place:
    declared = module.classes.get(name)
    return (
        Place(source, declared.lineno, declared.col_offset + 1) if declared else Place(source, 1, 1)
    )


def _is_installed(module: str) -> bool:
    """Whether Python would find it elsewhere; nothing is imported to find out."""
    here = {"", str(Path.cwd())}
    elsewhere = [entry for entry in sys.path if entry not in here]
    return PathFinder.find_spec(module.partition(".")[0], elsewhere) is not None


def _formatted(text: str) -> str:
    from toolfold.emit.format import format_all

    return format_all([text])[0]
