"""The author's class as commands look at it: read by us, and on request by a type checker."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolfold.errors import Problem, Severity

if TYPE_CHECKING:
    from toolfold.commands.generate import Project
    from toolfold.emit.output import Files
    from toolfold.implementation.compare import Comparison
    from toolfold.plan.model import ProtocolPlan, Summary


def compare_class(
    project: "Project", summary: "Summary", files: "Files", severity: Severity, *, may_write: bool
) -> "Comparison":
    """Compare the author's class with what the manifest asks of it."""
    from toolfold.implementation.compare import Target, compare

    target = Target(project.manifest, summary.protocol, project.output, files)
    return compare(target, severity, may_write=may_write)


def find_type_problems(
    project: "Project", protocol: "ProtocolPlan", known: Sequence[Problem]
) -> tuple[Problem, ...]:
    """What a type checker finds in the author's class beyond the problems that are known."""
    from toolfold.commands.type_check import Subject, type_problems
    from toolfold.implementation.modules import module_file, new_module_file

    if protocol.implementation is None:
        return ()
    folder, module = project.manifest.parent, protocol.implementation.partition(":")[0]
    file = module_file(folder, module) or new_module_file(folder, module)
    subject = Subject(protocol.implementation, file, folder, protocol.package, project.output)
    lines = {(Path(p.place.source.name), p.place.line) for p in known}

    def is_new(problem: Problem) -> bool:
        # One about the class as a whole is about methods that were reported by themselves.
        is_of_class = bool(problem.path)
        place = (Path(problem.place.source.name), problem.place.line)
        return place not in lines and not (is_of_class and known)

    return tuple(filter(is_new, type_problems(subject)))
