"""For the user's own test suite: what `toolfold check` finds, as a failed assertion."""

from collections.abc import Iterator
from pathlib import Path

from toolfold.commands.generate import Compared, Project, check, project_at
from toolfold.errors import ManifestError
from toolfold.implementation.compare import Target, compare
from toolfold.report import Drift, report


def assert_current(manifest: Path | str, output: Path | str | None = None) -> None:
    """Raise AssertionError with what is wrong in the manifest, the output or the author's class."""
    project = project_at(Path(manifest), Path(output) if output is not None else None)
    try:
        done = check(project, lambda done, total: None)
    except ManifestError as error:
        raise AssertionError(report(error.problems)) from None
    lines = [*_drift(project, done), *_class_problems(project, done)]
    if lines:
        raise AssertionError("\n".join(lines))


def _drift(project: Project, done: Compared) -> Iterator[str]:
    """Every file that is not current, and the way out."""
    yield from (str(Drift(project.output, difference)) for difference in done.differences)
    if done.differences:
        yield "run `toolfold generate` and commit the result"


def _class_problems(project: Project, done: Compared) -> Iterator[str]:
    """What the author's class lacks, and the source to paste into it."""
    target = Target(project.manifest, done.summary.protocol, project.output, done.files)
    comparison = compare(target, "error", may_write=False)
    if comparison.problems:
        yield report(comparison.problems)
    if comparison.stub:
        yield f"paste into the class:\n\n{comparison.stub}"
