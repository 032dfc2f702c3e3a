"""Adding what was imported to the author's manifest: servers, files to include, overlays."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolfold.disk import replace_file
from toolfold.importing.servers.declare import DeclarationError, with_entries, with_pattern
from toolfold.importing.servers.project import Project
from toolfold.importing.servers.targets import legal_name
from toolfold.importing.write import manifest_text
from toolfold.manifest.include import PatternError, files_matching
from toolfold.manifest.read import read_yaml

_BOM: Final = "\ufeff"


@dataclass(frozen=True)
class Additions:
    """The additions to a manifest: the changed keys, and what its author has to add."""

    declared: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    snippets: list[str] = field(default_factory=list)


def add_to_manifest(
    project: Project,
    entries: Mapping[str, dict[str, Any]],
    files: Sequence[Path],
    overlays: Sequence[Path],
) -> Additions:
    """Declare servers in the manifest and include their files, where it does not yet."""
    done = Additions()
    text = _root_text(project)
    # Another import may have declared one meanwhile.
    known = project.servers()
    new = {name: entry for name, entry in entries.items() if name not in known}
    first_line = f"Begun by `{project.command}`, and yours from now on."
    changed = text.removeprefix(_BOM) or manifest_text(_new_manifest(project, entries), first_line)
    for key, added in _missing(project, new, files, overlays):
        try:
            if isinstance(added, dict):
                changed = with_entries(changed, key, added)
            else:
                changed = with_pattern(changed, key, added)
            done.declared.append(key)
        except DeclarationError as error:
            name = project.manifest.name
            done.failures[name] = f"`{key}:` could not be added to; add it yourself"
            done.snippets.append(error.snippet)
    if changed != text:
        mark = _BOM if text.startswith(_BOM) else ""
        replace_file(project.manifest, f"{mark}{changed}".encode(), project.folder)
    return done


def _missing(
    project: Project,
    entries: dict[str, dict[str, Any]],
    files: Sequence[Path],
    overlays: Sequence[Path],
) -> Iterator[tuple[str, Any]]:
    """The entries that the manifest lacks, by the key they belong under."""
    for key, paths in (("include", files), ("overlays", overlays)):
        missing = [path for path in paths if not _matches(project, key, path)]
        for folder in dict.fromkeys(path.parent for path in missing):
            yield key, _pattern(project, folder, missing)
    if entries:
        yield "servers", entries


def _pattern(project: Project, folder: Path, missing: Sequence[Path]) -> str:
    """The pattern of a folder of imported files; beside the manifest, of the one file."""
    below = folder.relative_to(project.folder).as_posix()
    return missing[0].name if below == "." else f"{below}/*.yaml"


def _matches(project: Project, key: str, path: Path) -> bool:
    """Whether a pattern under `include` or `overlays` matches a file."""
    patterns = project.tree.get(key) if project.tree is not None else None
    for pattern in patterns if isinstance(patterns, list) else ():
        with suppress(PatternError):  # which `generate` reports
            if isinstance(pattern, str) and path in files_matching(project.folder, pattern):
                return True
    return False


def _root_text(project: Project) -> str:
    """The text of the manifest itself; empty where there is none yet."""
    if project.is_new:
        return ""
    data = project.manifest.read_bytes()
    read_yaml(data, str(project.manifest))  # which is UTF-8, then
    return data.decode()


def _new_manifest(project: Project, entries: Mapping[str, object]) -> dict[str, Any]:
    """The text of a new manifest, named after its folder."""
    name = legal_name(project.folder.absolute().name)
    if name in entries:
        name = legal_name(f"{name[:50]}-gateway")
    return {"toolfold": 1, "server": {"name": name, "version": "0.1.0"}}
