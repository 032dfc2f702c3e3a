"""A trial run of an import: finds the tools that cannot be compiled or written exactly."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.upstream.pins import digest

from toolfold.compile import refuse_tools
from toolfold.errors import ManifestError, UsageError
from toolfold.importing.convert import entry_of
from toolfold.importing.names import tool_names
from toolfold.importing.sources import ForeignTool
from toolfold.importing.write import manifest_text
from toolfold.manifest.include import MAX_BYTES
from toolfold.manifest.load import load_with_problems
from toolfold.manifest.pins import definition_of, foreign_tools
from toolfold.manifest.read import read_yaml

_MANIFEST: Final = (
    '{"toolfold": 1, "server": {"name": "staged", "version": "0"}, "include": ["imported.yaml"]}'
)


def published(tool: ForeignTool) -> Json:
    """The fields of a foreign tool that are pinned, named as in the protocol."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": tool.annotations,
    }


@dataclass(frozen=True)
class StagedFile:
    """A file that the compiler accepts: its tools, its data and its text."""

    tools: list[ForeignTool]
    data: Json
    text: str
    #: What the server calls a tool to why that tool cannot be imported.
    left_out: dict[str, str]

    @property
    def names(self) -> dict[str, str]:
        """Manifest name to id."""
        return {name: entry["id"] for name, entry in self.data["tools"].items()}


def staged_file(
    tools: Sequence[ForeignTool],
    data_of: Callable[[Sequence[ForeignTool]], Json],
    first_line: str,
    known: str = "",
) -> StagedFile:
    """The file of those tools that can be imported; a text that is `known` was tried before.

    Raises UsageError where the file is refused for something else than its tools.
    """
    left_out: dict[str, str] = {}
    accepted = list(tools)
    while True:
        data = data_of(accepted)
        text = manifest_text(data, first_line)
        if len(text.encode()) > MAX_BYTES:
            raise UsageError(f"its tools take more than {MAX_BYTES:,} bytes")
        refused = {} if text == known else _refusals(data, text, accepted)
        if not refused:
            return StagedFile(accepted, data, text, left_out)
        left_out |= {tool.name: refused[tool.id] for tool in accepted if tool.id in refused}
        accepted = [tool for tool in accepted if tool.id not in refused]


def acceptable(tools: Sequence[ForeignTool]) -> list[ForeignTool]:
    """The tools of a server that could be imported on their own."""

    def data_of(staged: Sequence[ForeignTool]) -> Json:
        names = tool_names(staged)
        entries = {names[tool.id]: entry_of(tool, "all") for tool in staged}
        return {"categories": {"all": {}}, "tools": entries}

    try:
        return staged_file(tools, data_of, "").tools if tools else []
    except UsageError:
        return []


def _refusals(data: Json, text: str, tools: Sequence[ForeignTool]) -> dict[str, str]:
    """Id to reason, for tools that cannot be imported; `text` is the file that `data` is written as."""
    ids = {name: entry["id"] for name, entry in data["tools"].items()}
    try:
        tree = read_yaml(text.encode(), "")
    except ManifestError:
        return _unreadable(data)
    try:
        _compile(text)
    except ManifestError as error:
        return _reasons(error, ids)
    exact = {tool.id: digest(published(tool)) for tool in tools}
    return {
        ids[name]: "its definition cannot be written exactly"
        for name, tool in foreign_tools(tree).items()
        if digest(definition_of(tool)) != exact[ids[name]]
    }


def _compile(text: str) -> None:
    """Raise ManifestError where the compiler refuses a manifest of nothing but this file."""
    with tempfile.TemporaryDirectory(suffix=".toolfold-new") as folder:
        manifest = Path(folder, "tools.yaml")
        manifest.write_text(_MANIFEST, encoding="utf-8")
        Path(folder, "imported.yaml").write_text(text, encoding="utf-8", newline="\n")
        refuse_tools(load_with_problems(manifest))


def _unreadable(data: Json) -> dict[str, str]:
    """Id to reason, for tools whose YAML cannot be read back."""
    reasons: dict[str, str] = {}
    for name, entry in data["tools"].items():
        try:
            read_yaml(manifest_text({"tools": {name: entry}}, "").encode(), "")
        except ManifestError as error:
            reasons[entry["id"]] = error.problems[0].fact
    if not reasons:
        raise UsageError("its tools cannot be written")
    return reasons


def _reasons(error: ManifestError, ids: Mapping[str, str]) -> dict[str, str]:
    """Id to the first fact about it; UsageError where something else than a tool is refused."""
    reasons: dict[str, str] = {}
    for problem in error.problems:
        section, _, rest = problem.path.partition(".")
        name = rest.partition(".")[0].partition("[")[0]
        if problem.severity == "error" and (section != "tools" or name not in ids):
            raise UsageError(f"cannot be imported: {problem.path or 'the file'}: {problem.fact}")
        if problem.severity == "error":
            reasons.setdefault(ids[name], problem.fact)
    return reasons
