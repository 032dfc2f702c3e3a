"""Printing: results on stdout, everything else on stderr."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from toolfold.errors import DetailedProblem, ManifestError, Problem
from toolfold.report import Drift, Format, machine_report, printable, report, summary


@dataclass(frozen=True)
class Printer:
    """How a command prints what it found: as text for people, or as one document for machines."""

    format: Format
    is_verbose: bool

    def problems(
        self,
        problems: Sequence[Problem],
        drift: Sequence[Drift] = (),
        detailed: Sequence[DetailedProblem] = (),
    ) -> None:
        """Problems and drift on stdout for machines; for people, problems go to stderr.

        Warnings are summed up by kind unless the printer is verbose; those about the author's code
        have a place and a way out of their own. The lines of detailed ones are results.
        """
        if self.format != "text":
            every = [*problems, *(detailed_problem.with_lines for detailed_problem in detailed)]
            if document := machine_report(every, drift, self.format):
                print(document)
            return
        in_full = [p for p in problems if self.is_verbose or _is_shown_whole(p)]
        in_short = [p for p in problems if not self.is_verbose and not _is_shown_whole(p)]
        for text in (report(in_full), summary(in_short)):
            if text:
                complain(text)
        for file in drift:
            print(printable(str(file)))
        for detailed_problem in detailed:
            complain(report([detailed_problem.problem]))
            for line in detailed_problem.lines:
                print(printable(f"  {line}"))

    def refusal(self, error: ManifestError) -> None:
        """Every problem of a manifest that was refused, warnings in full."""
        replace(self, is_verbose=True).problems(error.problems)

    def result(self, text: str) -> None:
        """What a command did: on stdout, which for machines holds nothing but the document."""
        print(printable(text), file=sys.stdout if self.format == "text" else sys.stderr)

    def stub(self, stub: str) -> None:
        """Source to paste into the implementation; machines read it in the hints."""
        if stub and self.format == "text":
            complain(f"paste into the class:\n\n{stub}")


def _is_shown_whole(problem: Problem) -> bool:
    """Whether a problem is no mere warning among many."""
    is_code = problem.code == "implementation" and bool(problem.hint)
    return problem.severity == "error" or is_code


def complain(text: str) -> None:
    """Print something on stderr."""
    print(printable(text), file=sys.stderr)


def progress(label: str = "models", unit: str = "shapes") -> Callable[[int, int], None]:
    """A line that counts what is done, such as the shapes of models; only on a terminal."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()

    def show(done: int, total: int) -> None:
        if is_terminal:
            end = "" if done < total else "\r\x1b[K"
            print(f"\r{label}: {done} of {total} {unit}", end=end, file=sys.stderr, flush=True)

    return show
