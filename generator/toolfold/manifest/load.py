"""Files to a Manifest: the manifest, what it includes, and the overlays laid over it."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolfold_runtime.contract.codec import Json

from toolfold.disk import read_file
from toolfold.errors import ManifestError, Place, Problem, UsageError, missing_manifest
from toolfold.manifest.hidden import hidden_problems, may_hide
from toolfold.manifest.hints import nearest
from toolfold.manifest.ids import ids_of, name_by_id
from toolfold.manifest.include import (
    GENERATED_MARK,
    MAX_BYTES,
    MOST_PATTERNS,
    PatternError,
    files_matching,
)
from toolfold.manifest.pins import imported_definitions
from toolfold.manifest.read import read_yaml
from toolfold.manifest.schema import ENTRY_SECTIONS, Manifest
from toolfold.manifest.shape import shape
from toolfold.manifest.tree import PlacedList, PlacedMapping, dotted, kind_of
from toolfold.manifest.validate import validate

_SHOWN: Final = 100  # characters of a pattern, or of a first line


@dataclass(frozen=True)
class Loaded:
    """A manifest, the places its values came from, the digest of each file read, and what is wrong."""

    manifest: Manifest
    tree: PlacedMapping
    name: str
    inputs: dict[Path, str]
    problems: tuple[Problem, ...] = ()
    #: Tool to the definition that was imported from its server, for hidden ones too.
    pins: dict[str, Json] = field(default_factory=dict)


def load(path: Path, name: str | None = None) -> Loaded:
    """Read, merge, shape and validate the manifest at `path`, called `name` in messages.

    Raises ManifestError where it has any error, and UsageError when there is no such file.
    """
    loaded = load_with_problems(path, name)
    errors = [problem for problem in loaded.problems if problem.severity == "error"]
    if errors:
        raise ManifestError(errors)
    return loaded


def read_with_includes(path: Path) -> PlacedMapping:
    """The manifest at `path` with what it includes, before overlays and held to no shape.

    Raises ManifestError where a file cannot be read as YAML, and UsageError when there is none.
    """
    reader = _Files(path, str(path))
    tree = reader.root()
    problems: list[Problem] = []
    for part in reader.matching(tree, "include", problems):
        _include(tree, part, problems)
    unread = [problem for problem in problems if problem.code == "yaml"]
    if unread:
        raise ManifestError(unread)
    return tree


def load_with_problems(path: Path, name: str | None = None) -> Loaded:
    """The same, with the problems of a manifest that can be read on.

    Planning adds its own, so that one run reports them all. Raises ManifestError where no manifest
    can be made of it.
    """
    reader = _Files(path, name or str(path))
    tree = reader.root()
    problems: list[Problem] = []
    for part in reader.matching(tree, "include", problems):
        _include(tree, part, problems)
    pins = imported_definitions(tree)
    for part in reader.matching(tree, "overlays", problems):
        _overlay(tree, part, problems)
    name_by_id(tree)
    try:
        manifest, misfits = shape(tree)
    except ManifestError as error:
        raise ManifestError([*problems, *error.problems]) from None
    problems += [*misfits, *validate(manifest, tree)]
    manifest = manifest.without_hidden(_included_categories(tree))
    if reader.may_hide:
        problems += hidden_problems(tree)
    return Loaded(manifest, tree, path.name, reader.inputs, tuple(problems), pins)


class _Files:
    """The files of one manifest, parsed once each, named relative to the manifest's folder."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self.folder = path.parent
        self.inputs: dict[Path, str] = {}
        self.may_hide = False

    def root(self) -> PlacedMapping:
        """The manifest itself."""
        return self._read(self.path, self.name)

    def matching(
        self, tree: PlacedMapping, key: str, problems: list[Problem]
    ) -> Iterator[PlacedMapping]:
        """Every file that the patterns under `key` match, in the order of the patterns."""
        patterns = tree.get(key)
        if not isinstance(patterns, PlacedList):
            return
        if len(patterns) > MOST_PATTERNS:
            fact = f"{len(patterns):,} patterns; at most {MOST_PATTERNS:,} are read"
            problems.append(Problem(patterns.at, key, fact, "match several files with `*`"))
            return
        for index, pattern in enumerate(patterns):
            at = patterns.items_at[index]
            where = dotted((key, index))
            for file in self._files(pattern, at, where, problems):
                try:
                    yield self._read(file, str(file))
                except ManifestError as error:
                    problems.extend(error.problems)
                except _GeneratedError:
                    fact = f'"{pattern}" matches {file}, which toolfold generates'
                    hint = "name the folders of your own files, as in `servers/*.yaml`"
                    problems.append(Problem(at, where, fact, hint))

    def _files(self, pattern: Any, at: Place, where: str, problems: list[Problem]) -> list[Path]:
        if not isinstance(pattern, str) or not pattern or {*pattern} & {*"\r\n"}:
            return []  # the shape says so, with the other misfits
        shown = pattern if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]}…"
        try:
            matches = files_matching(self.folder, pattern)
        except PatternError as error:
            problems.append(Problem(at, where, f'"{shown}" {error.fact}', error.hint))
            return []
        if not matches:
            hint = f"looked in {self.folder}/"
            problems.append(Problem(at, where, f'"{shown}" matches no file', hint))
        unread = [file for file in matches if file not in self.inputs]
        if matches and not unread:
            hint = "one pattern for each file is enough"
            problems.append(Problem(at, where, f'"{shown}" was read already', hint))
        return unread

    def _read(self, file: Path, name: str) -> PlacedMapping:
        try:
            data = read_file(file, MAX_BYTES)
        except FileNotFoundError:
            raise missing_manifest(name) from None
        except OSError as error:
            raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
        if self.inputs and GENERATED_MARK.encode() in data[:_SHOWN].partition(b"\n")[0]:
            raise _GeneratedError
        self.inputs[file] = hashlib.sha256(data).hexdigest()
        self.may_hide = self.may_hide or may_hide(data)
        return read_yaml(data, name, len(self.inputs))


class _GeneratedError(Exception):
    """A file that toolfold generates is no input."""


def _include(tree: PlacedMapping, part: PlacedMapping, problems: list[Problem]) -> None:
    """Add an included file's entries; what the manifest already has is a problem."""
    for key, value in part.items():
        at = part.keys_at[key]
        if key not in ENTRY_SECTIONS:
            belongs = key in Manifest.model_fields
            hint = "it belongs in the manifest itself" if belongs else nearest(key, ENTRY_SECTIONS)
            hint = hint or f"an included file has: {', '.join(ENTRY_SECTIONS)}"
            problems.append(Problem(at, key, f'"{key}" does not belong in an included file', hint))
        elif key not in tree:
            tree.put(key, value, at, part.values_at[key])
        elif isinstance(tree[key], PlacedMapping) and isinstance(value, PlacedMapping):
            _include_entries(key, tree[key], value, problems)
        elif isinstance(tree[key], PlacedList) and isinstance(value, PlacedList):
            tree[key].extend(value)
            tree[key].items_at.extend(value.items_at)
        else:
            fact = f"expected {kind_of(tree[key])}, found {kind_of(value)}"
            problems.append(Problem(part.values_at[key], key, fact))


def _include_entries(
    key: str, into: PlacedMapping, added: PlacedMapping, problems: list[Problem]
) -> None:
    for name, value in added.items():
        if name in into:
            fact = f'"{name}" is declared twice'
            hint = f"first at {into.keys_at[name]}"
            problems.append(Problem(added.keys_at[name], dotted((key, name)), fact, hint))
        else:
            into.put(name, value, added.keys_at[name], added.values_at[name])


def _included_categories(tree: PlacedMapping) -> list[str]:
    """The categories that come from other files than the manifest itself."""
    categories = tree.get("categories")
    if not isinstance(categories, PlacedMapping):
        return []
    return [name for name, at in categories.keys_at.items() if at.source is not tree.at.source]


def _overlay(tree: PlacedMapping, part: PlacedMapping, problems: list[Problem]) -> None:
    """Lay a file of changes over tools that exist, as a JSON merge patch per tool."""
    for key in part:
        if key != "tools":
            hint = "an overlay changes fields under `tools:` and nothing else"
            problems.append(Problem(part.keys_at[key], key, f'"{key}" in an overlay', hint))
    tools, changes = tree.get("tools"), part.get("tools")
    if not isinstance(tools, PlacedMapping) or not isinstance(changes, PlacedMapping):
        return
    ids = ids_of(tree)
    for given, change in changes.items():
        name = ids.get(given, given)
        path = dotted(("tools", name))
        if name not in tools:
            hint = nearest(name, list(tools)) or "an overlay only changes tools that exist"
            problems.append(Problem(changes.keys_at[given], path, f'unknown tool "{name}"', hint))
        elif not isinstance(change, PlacedMapping):
            fact = f"expected a mapping, found {kind_of(change)}"
            problems.append(Problem(changes.values_at[given], path, fact))
        elif isinstance(tools[name], PlacedMapping):
            tools[name] = _without_settled_marks(_patched(tools[name], change), change)


def _without_settled_marks(tool: PlacedMapping, change: PlacedMapping) -> PlacedMapping:
    """The tool without an importer's `proposed` marks on keys that the overlay sets."""
    marks = tool.get("proposed")
    if isinstance(marks, PlacedList) and "proposed" not in change:
        remaining = PlacedList(marks.at)
        for mark, at in zip(marks, marks.items_at, strict=True):
            if mark not in change:
                remaining.append(mark)
                remaining.items_at.append(at)
        tool["proposed"] = remaining
    return tool


def _patched(target: PlacedMapping, change: PlacedMapping) -> PlacedMapping:
    """A copy of `target` with `change` merged in: mappings merge, null removes, the rest replaces."""
    merged = PlacedMapping(target.at)
    for key, value in target.items():
        if key not in change:
            merged.put(key, value, target.keys_at[key], target.values_at[key])
        elif change[key] is not None:
            _put_patched(merged, key, value, change)
    for key in change:
        if key not in target and change[key] is not None:
            _put_patched(merged, key, None, change)
    return merged


def _put_patched(merged: PlacedMapping, key: str, old: Any, change: PlacedMapping) -> None:
    new = change[key]
    if isinstance(old, PlacedMapping) and isinstance(new, PlacedMapping):
        new = _patched(old, new)
    merged.put(key, new, change.keys_at[key], change.values_at[key])
