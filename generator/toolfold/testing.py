"""For the user's own test suite: whether the generated output is current."""

from pathlib import Path

from toolfold.cli.report import Drift, report
from toolfold.commands.generate import check, project_at
from toolfold.errors import ManifestError


def assert_current(manifest: Path | str, output: Path | str | None = None) -> None:
    """Fail with everything that is not as the manifest generates it, or with what is wrong in it."""
    project = project_at(Path(manifest), Path(output) if output is not None else None)
    try:
        found = check(project, lambda done, total: None).differences
    except ManifestError as error:
        raise AssertionError(report(error.problems)) from None
    lines = [str(Drift(project.output, difference)) for difference in found]
    if lines:
        raise AssertionError("\n".join([*lines, "run `toolfold generate` and commit the result"]))
