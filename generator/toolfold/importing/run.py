"""`toolfold import tools`: tool lists in, a manifest and its warnings out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolfold.compile import plan_manifest
from toolfold.errors import ManifestError, Place, Problem, Source, UsageError
from toolfold.importing.convert import manifest_of, server_name
from toolfold.importing.sources import ForeignTool, read_tools
from toolfold.importing.write import manifest_text
from toolfold.manifest.load import load


@dataclass(frozen=True)
class Imported:
    """A manifest that was written, and the warnings about its tools."""

    path: Path
    is_unchanged: bool
    tools: int
    categories: int
    warnings: tuple[Problem, ...]


def import_tools(
    files: Sequence[Path], output: Path, name: str | None, *, force: bool = False
) -> Imported:
    """Write the manifest of every tool in `files`.

    A manifest that is there and differs is kept, unless `force`: it may hold somebody's work.
    """
    tools = read_tools(list(files))
    data = manifest_of(tools, server_name(tools, files[0].stem) if name is None else name)
    text = manifest_text(data, ", ".join(file.name for file in files))
    is_unchanged = _is_current(output, text, force=force)
    try:
        warnings = _write(output, text, len(tools), is_needed=not is_unchanged)
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror or error}") from None
    omitted = _omitted_fields(tools)
    counts = len(tools), len(data["categories"])
    return Imported(output, is_unchanged, *counts, (*omitted, *warnings))


def _omitted_fields(tools: Sequence[ForeignTool]) -> Iterator[Problem]:
    """A warning for each field of a tool that a manifest has no place for."""
    for tool in tools:
        for key in tool.omitted:
            fact = f'"{key}" is not kept'
            place = Place(Source(tool.file, ""), 1, 1)
            yield Problem(place, tool.id, fact, "", "warning", "left-out")


def _is_current(output: Path, text: str, *, force: bool) -> bool:
    """Whether the file holds the text; UsageError where it holds another and `force` is not set."""
    if not output.is_file():
        return False
    if output.read_bytes() == text.encode():
        return True
    if not force:
        raise UsageError(f"{output}: there already and different; --force replaces it")
    return False


def _write(output: Path, text: str, expected: int, *, is_needed: bool) -> tuple[Problem, ...]:
    """Write the manifest once the compiler has accepted it; the compiler's warnings."""
    output.parent.mkdir(parents=True, exist_ok=True)
    staged = output.with_name(f".{output.name}.toolfold-new")
    staged.write_bytes(text.encode())
    try:
        loaded = load(staged, str(output))
        if len(loaded.manifest.tools) != expected:
            raise RuntimeError(f"{expected} tools read, {len(loaded.manifest.tools)} written")
        warnings = plan_manifest(loaded).warnings
        if is_needed:
            staged.replace(output)
    except ManifestError as error:
        refused = "\n".join(f"  {p.path or 'the manifest'}: {p.fact}" for p in error.problems[:20])
        raise UsageError(f"these tools cannot be served, nothing was written:\n{refused}") from None
    finally:
        staged.unlink(missing_ok=True)
    return warnings
