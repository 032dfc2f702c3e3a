"""A manifest looked at without reading its tools: each is read when something asks for it.

A tool whose text was compiled before need not be read again. Mistakes are never reported from
here: whatever is not plainly in order raises UnsureError, and the manifest is read whole.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolfold.errors import ManifestError, Place, Problem, Source
from toolfold.manifest.load import Files, Loaded, include
from toolfold.manifest.read import read_document
from toolfold.manifest.schema import Manifest, Tool
from toolfold.manifest.sections import Cut, Section, cut
from toolfold.manifest.shape import shape
from toolfold.manifest.tree import PlacedMapping
from toolfold.manifest.validate import validate_tool


class UnsureError(Exception):
    """Only reading the manifest whole can tell."""


def glance(path: Path) -> Loaded:
    """The manifest at `path`, its tools unread; UnsureError where that is not enough."""
    cuts: list[Cut] = []

    def parse(source: Source) -> PlacedMapping:
        found = cut(source)
        if found is None:
            raise UnsureError
        document = read_document(source, found.rest)
        if document.has_anchors or not _begins_there(document.root, found.sections):
            raise UnsureError
        document.root.pop("tools", None)
        cuts.append(found)
        return document.root

    reader = Files(path, str(path), parse)
    try:
        tree = reader.root()
        problems: list[Problem] = []
        for part in reader.matched(tree, "include", problems):
            include(tree, part, problems)
        sections = {section.name: section for one in cuts for section in one.sections}
        tree.put("tools", {}, tree.at, tree.at)
        frame, misfits = shape(tree)
    except ManifestError:
        raise UnsureError from None
    is_unique = len(sections) == sum(len(one.sections) for one in cuts)
    if problems or misfits or tree.get("overlays") or not is_unique:
        raise UnsureError
    tree["tools"] = _Unread(tree.at, sections)
    tools = _Tools(dict.fromkeys(sections))
    manifest = tools.of(frame, tree)
    return Loaded(manifest, tree, path.name, reader.inputs, (), sections, is_glance=True)


def _begins_there(root: PlacedMapping, sections: Sequence[Section]) -> bool:
    """Whether the tools of a document are the block of keys that its text was cut at, or none."""
    if not sections:
        return "tools" not in root
    tools, first = root.get("tools"), sections[0]
    if not isinstance(tools, PlacedMapping) or tools.keys_at != {first.name: first.at}:
        return False
    return tools[first.name] is None


class _Unread(PlacedMapping):
    """The tools of a manifest as data with places, each read when it is asked for."""

    def __init__(self, at: Place, sections: dict[str, Section]) -> None:
        super().__init__(at)
        self._sections = sections
        for name, section in sections.items():
            self.put(name, None, section.at, section.at)

    def __getitem__(self, name: str) -> Any:
        if super().__getitem__(name) is None:
            section = self._sections[name]
            try:
                document = read_document(section.at.source, section.text, section.at.line, depth=2)
            except ManifestError:
                raise UnsureError from None
            root = document.root
            if list(root) != [name] or root[name] is None or document.has_anchors:
                raise UnsureError
            self.put(name, root[name], section.at, root.values_at[name])
        return super().__getitem__(name)


class _Tools(dict[str, Any]):
    """The tools of a manifest, each read, shaped and held to the rules when it is asked for."""

    def of(self, frame: Manifest, tree: PlacedMapping) -> Manifest:
        """The manifest whose tools these are."""
        self._tree = tree
        self._manifest = frame.model_copy(update={"tools": self})
        return self._manifest

    def __getitem__(self, name: str) -> Tool:
        if super().__getitem__(name) is None:
            try:
                self[name] = Tool.model_validate(self._tree["tools"][name])
            except ValidationError:
                raise UnsureError from None
            if any(validate_tool(name, self._manifest, self._tree)):
                raise UnsureError
        tool: Tool = super().__getitem__(name)
        return tool

    def items(self) -> Any:
        """All of them, read."""
        return {name: self[name] for name in self}.items()

    def values(self) -> Any:
        """All of them, read."""
        return {name: self[name] for name in self}.values()
