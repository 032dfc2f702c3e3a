"""The tools of one server as a file that a manifest includes, named as they were named before."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolfold_runtime.contract.codec import Json

from toolfold.errors import UsageError
from toolfold.importing.convert import entry_of
from toolfold.importing.effects import proposed_effect
from toolfold.importing.names import tool_names
from toolfold.importing.servers.compare import Comparison, compare
from toolfold.importing.servers.grouping import grouping_of
from toolfold.importing.servers.project import ImportedFile, Project, first_line
from toolfold.importing.servers.stage import published, staged_file
from toolfold.importing.sources import ForeignTool, foreign_tool

_LONGEST_ID: Final = 400
# What the protocol says about tasks, which are not offered.
_DROPPED: Final = frozenset({"execution"})
_LONGEST_SHOWN: Final = 200


@dataclass(frozen=True)
class Snapshot:
    """The file of one server: its text, and how that differs from what was imported before."""

    server: str
    path: Path
    text: str
    #: Manifest name to id.
    tools: dict[str, str]
    categories: tuple[str, ...]
    comparison: Comparison
    before: ImportedFile | None
    #: What the server calls a tool to why that tool cannot be imported.
    left_out: dict[str, str]
    #: What the server calls a tool, and a field of that tool that a manifest has no place for.
    omitted: tuple[tuple[str, str], ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether the file on disk has this text."""
        return self.before is not None and self.before.text == self.text


def importable(tools: Sequence[Json], server: str) -> tuple[list[ForeignTool], dict[str, str]]:
    """The tools that a manifest can hold, and the reason for each tool that it cannot."""
    by_id: dict[str, ForeignTool] = {}
    left_out: dict[str, str] = {}
    for index, given in enumerate(tools):
        where = f"tools[{index}]"
        tool = given if isinstance(given, dict) else {}  # which has no name
        try:
            foreign = foreign_tool({**tool, "server": server}, server, where)
            if foreign.id in by_id:
                raise UsageError(f"{where}: listed twice")
            if len(foreign.id) > _LONGEST_ID or len(foreign.name.splitlines()) != 1:
                raise UsageError(f"{where}: a name of several lines, or of too many characters")
            by_id[foreign.id] = foreign
        except UsageError as error:
            left_out[str(tool.get("name", where))[:_LONGEST_SHOWN]] = str(error)
    return list(by_id.values()), left_out


def snapshot(project: Project, server: str, live: Sequence[Json]) -> Snapshot:
    """The file of a server with these tools; UsageError where none can be written."""
    before = project.imported(server)
    project.refuse_foreign_ids(server, before)
    tools, left_out = importable(live, server)

    def data_of(accepted: Sequence[ForeignTool]) -> Json:
        return _data(project, server, accepted, before)

    staged = staged_file(tools, data_of, first_line(server), before.text if before else "")
    left_out |= staged.left_out
    after = {tool.name: published(tool) for tool in staged.tools}
    comparison = compare(before.definitions() if before else {}, after)
    return Snapshot(
        server,
        project.file_of(server),
        staged.text,
        staged.names,
        tuple(staged.data["categories"]),
        comparison,
        before,
        left_out,
        tuple(
            (tool.name, key) for tool in staged.tools for key in tool.omitted if key not in _DROPPED
        ),
    )


def _data(
    project: Project, server: str, tools: Sequence[ForeignTool], before: ImportedFile | None
) -> dict[str, Any]:
    names = tool_names(
        tools, before.by_id("name") if before else {}, project.names_of_others(before)
    )
    grouping = grouping_of(
        server,
        tools,
        before.by_id("category") if before else {},
        project.categories_of_others(before),
    )
    return {
        "categories": {name: {"title": title} for name, title in grouping.titles.items()},
        "tools": {
            names[tool.id]: entry_of(
                tool,
                grouping.categories[tool.id],
                ("category", "summary"),
                proposed_effect(tool.name, tool.description),
            )
            for tool in tools
        },
    }
