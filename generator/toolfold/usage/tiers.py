"""`toolfold tiers`: what usage says about each tool, beside what the manifest says now."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from toolfold_runtime.contract.vocabulary import Tier

from toolfold.disk import real_path
from toolfold.errors import ManifestError, UsageError
from toolfold.manifest.include import PatternError, files_matching
from toolfold.manifest.load import Loaded, load_with_problems
from toolfold.manifest.tree import PlacedMapping
from toolfold.usage.overlay import overlay_text, write_overlay
from toolfold.usage.read import Window, read_window
from toolfold.usage.score import Score, scores


class ToolTier(NamedTuple):
    """A tool in the table of tiers."""

    name: str
    id: str
    #: What the manifest says, with its overlays.
    declared: Tier | None
    #: Calls in 30 days that were carried out.
    calls: int
    #: None where usage does not rank it.
    by_usage: Score | None


@dataclass(frozen=True)
class TierTable:
    """Every tool of a manifest, those that usage ranks first."""

    #: Where usage was read, or "off".
    place: str
    rows: tuple[ToolTier, ...]
    least_calls: int

    @property
    def has_usage(self) -> bool:
        """Whether any tool was called."""
        return any(row.calls for row in self.rows)


class Change(NamedTuple):
    """A tool whose tier an update changes; None stands for what is declared elsewhere."""

    name: str
    before: Tier | None
    after: Tier | None


@dataclass(frozen=True)
class Update:
    """What an update of the overlay did."""

    path: Path
    table: TierTable
    is_written: bool = False
    changes: tuple[Change, ...] = ()
    #: What to add to the manifest so that the overlay counts; empty where it does.
    missing_line: str = ""


def tier_table(manifest: Path, option: str | None) -> TierTable:
    """The table; ManifestError where the manifest is refused, UsageError where usage is."""
    loaded = _loaded(manifest, None)
    return _table(loaded, read_window(loaded.manifest, manifest.parent, option))


def update_tiers(manifest: Path, output: Path, option: str | None) -> Update:
    """Write the tiers that usage decides about into the overlay `output`.

    Without any usage nothing is written. Tools that are gone are no error in the overlay, which
    loses them.
    """
    loaded = _loaded(manifest, output)
    folder = manifest.parent
    table = _table(loaded, read_window(loaded.manifest, folder, option))
    if not table.has_usage:
        return Update(output, table)
    scored = [row.by_usage for row in table.rows if row.by_usage]
    text = overlay_text(loaded.manifest.tools, scored)
    is_written = write_overlay(output, text, folder)
    changes = tuple(_changes(loaded, table, output))
    return Update(output, table, is_written, changes, _missing_line(loaded, folder, output))


def _loaded(manifest: Path, output: Path | None) -> Loaded:
    """The manifest; errors that stand in the overlay do not count, because it is written anew."""
    if output is not None and output.suffix not in (".yaml", ".yml"):
        raise UsageError(f"{output}: an overlay is a YAML file; give -o a name that ends in .yaml")
    loaded = load_with_problems(manifest)
    errors = [
        problem
        for problem in loaded.problems
        if problem.severity == "error"
        and not (output and _is_same(Path(problem.place.source.name), output))
        and not (output and _is_about(problem.path, problem.fact, manifest.parent, output))
    ]
    if errors:
        raise ManifestError(errors)
    return loaded


def _is_about(path: str, fact: str, folder: Path, output: Path) -> bool:
    """Whether a problem is that the overlay, which is declared already, is not there yet."""
    if not path.startswith("overlays") or output.exists():
        return False
    try:
        name = real_path(output).relative_to(real_path(folder)).as_posix()
    except ValueError:
        return False
    return fact == f'"{name}" matches no file'


def _is_same(one: Path, other: Path) -> bool:
    return real_path(one) == real_path(other)


def _table(loaded: Loaded, window: Window) -> TierTable:
    manifest = loaded.manifest
    ids = {name: manifest.id_of(name) for name in manifest.tools}
    ranked = {
        tool_score.name: tool_score
        for tool_score in scores(manifest.tiers, ids, window.month, window.week)
    }

    def row(name: str) -> ToolTier:
        figures = window.month.get(ids[name])
        calls = figures.ran if figures else 0
        return ToolTier(name, ids[name], manifest.tools[name].tier, calls, ranked.get(name))

    rest = [row(name) for name in ids if name not in ranked]
    rest.sort(key=lambda tool_tier: -tool_tier.calls)
    rows = (*(row(name) for name in ranked), *rest)
    return TierTable(window.place, rows, manifest.tiers.least_calls)


def _changes(loaded: Loaded, table: TierTable, output: Path) -> list[Change]:
    """How the tiers after the update differ from those before, the best tools first."""
    changes = []
    for row in table.rows:
        if row.by_usage:
            after: Tier | None = row.by_usage.tier
        elif _tier_stands_in(loaded, row.name, output):
            after = None
        else:
            continue
        if after != row.declared:
            changes.append(Change(row.name, row.declared, after))
    return changes


def _tier_stands_in(loaded: Loaded, name: str, output: Path) -> bool:
    """Whether it is the overlay that says a tool's tier."""
    tools = loaded.tree.get("tools")
    tool = tools.get(name) if isinstance(tools, PlacedMapping) else None
    at = tool.values_at.get("tier") if isinstance(tool, PlacedMapping) else None
    return at is not None and _is_same(Path(at.source.name), output)


def _missing_line(loaded: Loaded, folder: Path, output: Path) -> str:
    """What `overlays:` lacks so that the overlay counts."""
    try:
        name = real_path(output).relative_to(real_path(folder)).as_posix()
    except ValueError:
        return f"move {output} below {folder}/ and name it under `overlays:`"
    for pattern in loaded.manifest.overlays:
        try:
            matched = files_matching(folder, pattern)
        except PatternError:
            continue
        if any(_is_same(file, output) for file in matched):
            return ""
    return f"overlays: [{', '.join([*loaded.manifest.overlays, name])}]"
