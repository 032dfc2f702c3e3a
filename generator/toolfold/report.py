"""Problems as people, machines and GitHub read them."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from toolfold.errors import Problem

Format = Literal["text", "json", "github"]


def report(problems: Iterable[Problem], form: Format) -> str:
    """All problems in one of the three forms, ending without a newline."""
    if form == "json":
        return json.dumps([_record(p) for p in problems], ensure_ascii=False, indent=2)
    show = _annotation if form == "github" else _frame
    return "\n".join(show(problem) for problem in problems)


def summary(problems: Sequence[Problem]) -> str:
    """Warnings by kind: how many, and the first of each as an example."""
    kinds: dict[str, list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(problem.code, []).append(problem)
    lines = []
    for code, found in kinds.items():
        first = found[0]
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        place = f"{first.place}: {first.path}: warning: {_shown(first.fact)}"
        lines.append(f"{place} [{code}{more}]")
    if len(problems) > len(kinds):
        lines.append(f"{len(problems)} warnings; --verbose lists them all")
    return "\n".join(lines)


def _record(problem: Problem) -> dict[str, Any]:
    return {
        "file": problem.place.source.name,
        "line": problem.place.line,
        "column": problem.place.column,
        "path": problem.path,
        "severity": problem.severity,
        "code": problem.code,
        "fact": problem.fact,
        "hint": problem.hint,
    }


def _frame(problem: Problem) -> str:
    """Place, path and fact on one line; the source line with a mark; the way out."""
    path = f" {problem.path}:" if problem.path else ""
    kind = " warning:" if problem.severity == "warning" else ""
    lines = [f"{problem.place}:{path}{kind} {_shown(problem.fact)}"]
    source = problem.place.source.line(problem.place.line)
    if source.strip():
        number = str(problem.place.line)
        start = max(0, problem.place.column - 61)
        text = _shown(source[start : start + 100])
        mark = " " * len(_shown(source[start : problem.place.column - 1])) + "^"
        lines += [f"  {number} | {text}", f"  {' ' * len(number)} | {mark}"]
    if problem.hint:
        lines.append(f"  {_shown(problem.hint)}")
    return "\n".join(lines)


def _shown(text: str) -> str:
    """Text that cannot move a terminal's cursor or colour what follows."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _annotation(problem: Problem) -> str:
    place = problem.place
    path = f"{problem.path}: " if problem.path else ""
    hint = f"\n{problem.hint}" if problem.hint else ""
    message = _escaped(f"{path}{problem.fact}{hint}")
    where = f"file={_property(place.source.name)},line={place.line},col={place.column}"
    return f"::{problem.severity} {where},title=toolfold::{message}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
