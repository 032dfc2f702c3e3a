"""Problems and drift as text for people, as JSON and as GitHub annotations; nothing is printed."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from toolfold.emit.output import Difference
from toolfold.errors import Problem

Format: TypeAlias = Literal["text", "json", "github"]

_WIDTH: Final = 100


@dataclass(frozen=True)
class Drift:
    """A file of the output that is not current."""

    output: Path
    difference: Difference

    @property
    def file(self) -> str:
        """The file, as the user would name it."""
        return (self.output / self.difference.path).as_posix()

    @property
    def fact(self) -> str:
        """What is wrong with it."""
        if self.difference.objection:
            return self.difference.objection
        if self.difference.kind == "changed":
            added, removed = self.difference.counts()
            return f"out of date (+{added} -{removed})"
        return {"missing": "missing", "left over": "no longer generated"}[self.difference.kind]

    @property
    def hint(self) -> str:
        """The way out, where the fact does not say it."""
        return "" if self.difference.objection else "run `toolfold generate`"

    def __str__(self) -> str:
        return f"{shown(self.file)}: {self.fact}"


def report(problems: Iterable[Problem]) -> str:
    """Problems for people: place, fact, the line itself, and the way out."""
    return "\n".join(_frame(problem) for problem in problems)


def machine_report(problems: Iterable[Problem], drift: Iterable[Drift], format_: Format) -> str:
    """Problems and drift as one JSON array, or as GitHub annotations, one per line."""
    if format_ == "json":
        records = [*map(_record, problems), *map(_drift_record, drift)]
        return json.dumps(records, indent=2)
    return "\n".join([*map(_annotation, problems), *map(_drift_annotation, drift)])


def summary(problems: Sequence[Problem]) -> str:
    """Warnings by kind: how many, and the first of each as an example."""
    kinds: dict[str, list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(problem.code, []).append(problem)
    lines = []
    for code, same_kind in kinds.items():
        first = same_kind[0]
        more = f" and {len(same_kind) - 1} more" if len(same_kind) > 1 else ""
        place = f"{shown(str(first.place))}: {shown(first.path)}: warning: {shown(first.fact)}"
        lines.append(f"{place} [{code}{more}]")
    if len(problems) > len(kinds):
        lines.append(f"{len(problems)} warnings; --verbose lists them all")
    return "\n".join(lines)


def printable(text: str) -> str:
    """Lines of text that cannot move a terminal's cursor or colour what follows."""
    return "\n".join(li if li.isprintable() else shown(li, "\t") for li in text.split("\n"))


def shown(text: str, also: str = "") -> str:
    """Text on one line, with escapes for characters that cannot be printed, except those in `also`."""
    return "".join(
        c if c.isprintable() or c in also else c.encode("unicode_escape").decode() for c in text
    )


def _record(problem: Problem) -> dict[str, str | int]:
    return {
        "file": problem.place.source.name,
        "line": problem.place.line,
        "column": problem.place.column,
        "path": problem.path,
        "severity": problem.severity,
        "code": problem.code,
        "fact": problem.fact,
        "hint": problem.hint or problem.stub,
    }


def _drift_record(drift: Drift) -> dict[str, str]:
    return {
        "file": drift.file,
        "severity": "error",
        "code": "drift",
        "kind": drift.difference.kind,
        "fact": drift.fact,
        "hint": drift.hint,
        "diff": drift.difference.diff(),
    }


def _drift_annotation(drift: Drift) -> str:
    message = _escaped("; ".join(filter(None, (drift.fact, drift.hint))))
    return f"::error file={_property(drift.file)},title=toolfold::{message}"


def _frame(problem: Problem) -> str:
    """Place, path and fact on one line; the source line with a mark; the way out."""
    path = f" {shown(problem.path)}:" if problem.path else ""
    kind = " warning:" if problem.severity == "warning" else ""
    lines = [f"{shown(str(problem.place))}:{path}{kind} {shown(problem.fact)}"]
    source = problem.place.source.line(problem.place.line)
    if source.strip():
        number = str(problem.place.line)
        text, before = _window(source, problem.place.column - 1)
        lines += [f"  {number} | {text}", f"  {' ' * len(number)} | {' ' * before}^"]
    if problem.hint:
        lines.append(f"  {shown(problem.hint)}")
    return "\n".join(lines)


def _window(line: str, column: int) -> tuple[str, int]:
    """The part of a line around `column` that fits, and how many characters stand before it."""
    start = 0 if len(line) <= _WIDTH else max(0, min(column - _WIDTH // 2, len(line) - _WIDTH))
    end = start + _WIDTH
    head, tail = "…" if start else "", "…" if end < len(line) else ""
    text = f"{head}{shown(line[start:end])}{tail}"
    return text, len(head) + len(shown(line[start:column]))


def _annotation(problem: Problem) -> str:
    place = problem.place
    path = f"{problem.path}: " if problem.path else ""
    hint = f"\n{problem.hint or problem.stub}" if problem.hint or problem.stub else ""
    message = _escaped(f"{path}{problem.fact}{hint}")
    where = f"file={_property(place.source.name)},line={place.line},col={place.column}"
    return f"::{problem.severity} {where},title=toolfold::{message}"


def _escaped(text: str) -> str:
    lines = text.replace("%", "%25").replace("\r", "%0D").split("\n")
    return "%0A".join(shown(line) for line in lines)


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
