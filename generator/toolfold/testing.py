"""For the user's own test suite: whether the generated output is current."""

from pathlib import Path

from toolfold.commands.generate import check, project_at
from toolfold.errors import ManifestError
from toolfold.report import Drift, report


def assert_current(manifest: Path | str, output: Path | str | None = None) -> None:
    """Raise AssertionError with every file that is not current, or with the manifest's problems."""
    project = project_at(Path(manifest), Path(output) if output is not None else None)
    try:
        differences = check(project, lambda done, total: None).differences
    except ManifestError as error:
        raise AssertionError(report(error.problems)) from None
    lines = [str(Drift(project.output, difference)) for difference in differences]
    if lines:
        raise AssertionError("\n".join([*lines, "run `toolfold generate` and commit the result"]))
