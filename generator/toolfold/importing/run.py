"""`toolfold import tools`: files in, a manifest and its findings out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolfold.errors import ManifestError, Problem, UsageError
from toolfold.importing.convert import manifest_of, server_name
from toolfold.importing.sources import read_tools
from toolfold.importing.write import manifest_text
from toolfold.manifest.load import load
from toolfold.plan.build import build_plan


@dataclass(frozen=True)
class Imported:
    """A manifest that was written, and what its foreign schemas were warned about."""

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
    is_unchanged = _write(output, text, force=force)
    warnings = _findings(output, len(tools))
    return Imported(output, is_unchanged, len(tools), len(data["categories"]), warnings)


def _write(output: Path, text: str, *, force: bool) -> bool:
    if output.exists():
        if output.read_bytes() == text.encode():
            return True
        if not force:
            raise UsageError(f"{output}: there already and different; --force replaces it")
    output.parent.mkdir(parents=True, exist_ok=True)
    staged = output.with_name(f".{output.name}.toolfold-new")
    staged.write_bytes(text.encode())
    staged.replace(output)
    return False


def _findings(output: Path, expected: int) -> tuple[Problem, ...]:
    """What the compiler says of the new manifest; it may warn, but not refuse."""
    loaded = load(output)
    if len(loaded.manifest.tools) != expected:
        raise RuntimeError(f"{expected} tools read, {len(loaded.manifest.tools)} in {output}")
    try:
        return build_plan(loaded, "../..").warnings
    except ManifestError as error:
        return error.problems
