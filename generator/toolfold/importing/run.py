"""`toolfold import tools`: tool lists in, a manifest and its warnings out."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolfold.compile import plan_manifest
from toolfold.disk import refuse_links, replace_file
from toolfold.errors import ManifestError, OutputError, Place, Problem, Source, UsageError
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
    sources = ", ".join(file.name for file in files)
    text = manifest_text(data, f"Imported by `toolfold import tools` from {sources}")
    encoded = text.encode()
    try:
        refuse_links(output, Path.cwd())
        is_unchanged = _is_current(output, encoded, force=force)
        warnings = _warnings(output, encoded, len(tools))
        if not is_unchanged:
            replace_file(output, encoded, Path.cwd())
    except OutputError as error:
        raise UsageError(str(error)) from None
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


def _is_current(output: Path, data: bytes, *, force: bool) -> bool:
    """Whether the file holds the data; UsageError where it holds other data and `force` is not set."""
    if not output.is_file():
        return False
    if output.read_bytes() == data:
        return True
    if not force:
        raise UsageError(f"{output}: there already and different; --force replaces it")
    return False


def _warnings(output: Path, data: bytes, expected: int) -> tuple[Problem, ...]:
    """The compiler's warnings about a manifest that is not written yet; UsageError where it refuses."""
    with tempfile.TemporaryDirectory(suffix=".toolfold-new") as folder:
        staged = Path(folder, "tools.yaml")
        staged.write_bytes(data)
        try:
            loaded = load(staged, str(output))
            if len(loaded.manifest.tools) != expected:
                raise RuntimeError(f"{expected} tools read, {len(loaded.manifest.tools)} written")
            return plan_manifest(loaded).warnings
        except ManifestError as error:
            lines = (f"  {p.path or 'the manifest'}: {p.fact}" for p in error.problems[:20])
            refused = "\n".join(lines)
            reason = "these tools cannot be served, nothing was written"
            raise UsageError(f"{reason}:\n{refused}") from None
