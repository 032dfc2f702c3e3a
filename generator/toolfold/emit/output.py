"""The output folder: compare a mapping with it, or replace it whole.

The new tree is built beside the old one, unchanged files linked into it, and the two folders
change places in one system call. A run that dies at any moment leaves the old tree or the new.
"""

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, Literal

from toolfold.emit.format import is_formatting
from toolfold.emit.models.audit import audit_module
from toolfold.emit.swap import build_and_swap, locked, walk
from toolfold.errors import OutputError
from toolfold.plan.text.header import MARK
from toolfold.plan.text.paths import OutputPath

Files = Mapping[OutputPath, str]

_SHOWN: Final = 10
_LINE: Final = 400  # what of a first line is looked at
_START: Final = 1 << 16
_HUGE: Final = 1 << 28
_FORMATTED: Final = (".py", ".md")


@dataclass(frozen=True)
class Written:
    """The changes that a write made."""

    written: tuple[OutputPath, ...]
    unchanged: int
    removed: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """One file that is not as it should be."""

    path: str
    kind: Literal["changed", "missing", "left over"]
    expected: str
    found: str
    #: Why the file may not be changed; empty if it may.
    objection: str = ""

    def diff(self) -> str:
        """From what is there to what should be, as a unified diff."""
        lines = difflib.unified_diff(
            self.found.splitlines(keepends=True),
            self.expected.splitlines(keepends=True),
            f"{self.path} (found)",
            f"{self.path} (generated)",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def counts(self) -> tuple[int, int]:
        """Lines to add and lines to remove to get to what should be."""
        lines = self.diff().splitlines()[2:]
        return sum(li.startswith("+") for li in lines), sum(li.startswith("-") for li in lines)


def write_tree(files: Files, output: Path) -> Written:
    """Make `output` hold exactly `files`, beside whatever in it is not ours.

    Raises OutputError before anything is written when something foreign is in the way.
    """
    with locked(output):
        existing = scan(output)
        owners = _owners(files)
        _refuse_foreign(files, existing, output)
        leftover = left_over(owners, existing)
        changed = tuple(p for p, text in files.items() if existing.get(p) != text.encode())
        _audit_models(files, changed)
        if changed or leftover:
            unchanged = existing.keys() - {*leftover, *changed}
            build_and_swap(output, {p: files[p] for p in changed}, unchanged)
        return Written(changed, len(files) - len(changed), leftover)


def _audit_models(files: Files, paths: Iterable[OutputPath]) -> None:
    """Refuse models that hold other code than ours: their text may come from the cache folder."""
    for path in paths:
        if "/models/" in path and path.endswith(".py"):
            try:
                audit_module(files[path])
            except (ValueError, SyntaxError) as error:
                raise OutputError(f"{path}: not written: {error}; try --no-cache") from None


def compare_tree(files: Files, output: Path) -> list[Difference]:
    """Every way in which `output` is not what would be generated, by path."""
    existing = scan(output)
    found: list[Difference] = []
    for path, text in files.items():
        if path not in existing:
            found.append(Difference(path, "missing", text, ""))
        elif (there := _text(existing[path])) != text:
            objection = _why_not_replaced(text, existing[path])
            found.append(Difference(path, "changed", text, there, objection))
    for leftover_path in left_over(_owners(files), existing):
        found.append(Difference(leftover_path, "left over", "", _text(existing[leftover_path])))
    return sorted(_without_formatting(found), key=lambda difference: difference.path)


def _without_formatting(differences: list[Difference]) -> Iterator[Difference]:
    """Drop differences that another release of the formatter explains."""
    for difference in differences:
        suffix = PurePosixPath(difference.path).suffix
        may_be_formatted = difference.kind == "changed" and suffix in _FORMATTED
        texts = (difference.found, difference.expected)
        if not may_be_formatted or not is_formatting(*texts, suffix):
            yield difference


def _text(data: bytes) -> str:
    # A checkout may turn line ends into those of its platform; that is not drift.
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def left_over(owners: Mapping[str, bytes], existing: Mapping[str, bytes]) -> tuple[str, ...]:
    """Files with our first line that are no longer generated.

    `owners` says whose each generated file is. The line names the manifest and the package:
    another manifest's files are not ours.
    """
    owned = set(owners.values()) - {b""}
    rest = existing.keys() - owners.keys()
    return tuple(sorted(path for path in rest if owner_of(existing[path]) in owned))


def owner_of(data: bytes) -> bytes:
    """The owner named in the first line of a generated file; empty for any other file."""
    line = data[:_LINE].split(b"\n", 1)[0]
    return line.partition(MARK.encode())[2].partition(b";")[0]


def _owners(files: Files) -> dict[str, bytes]:
    return {path: owner_of(text[:_LINE].encode()) for path, text in files.items()}


def scan(output: Path) -> dict[str, bytes]:
    """Every regular file below `output` with its content, sorted; links are left to be refused.

    Of a file that may not be read nothing is known, so it counts as foreign.
    """
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise OutputError(f"{output}: not a folder; give another with --output")
    found: dict[str, bytes] = {}
    for path, entry in walk(str(output)):
        if entry.is_file(follow_symlinks=False):
            try:
                with open(entry.path, "rb") as file:  # noqa: PTH123 - pathlib is slow by thousands
                    found[path] = _content(file)
            except FileNotFoundError:
                continue  # another run has just removed it
            except PermissionError:
                found[path] = b""
    return dict(sorted(found.items()))


def _content(file: BinaryIO) -> bytes:
    """The content of a file; only the start of a file larger than any we generate."""
    start = file.read(_START)
    if len(start) < _START or os.fstat(file.fileno()).st_size > _HUGE:
        return start
    return start + file.read()


def _why_not_replaced(text: str, data: bytes) -> str:
    """Why a file with this content may not be replaced by `text`; empty where it may."""
    owner = owner_of(data)
    if owner:
        if owner == owner_of(text[:_LINE].encode()):
            return ""
        way_out = "give another --output, or remove it if that one is gone"
        return f"was generated from {owner.decode('utf-8', 'replace')}; {way_out}"
    has_lost_its_line = data != b"" and _text(data) == text.partition("\n")[2]
    return "" if has_lost_its_line else "was not generated by toolfold; move it away"


def _refuse_foreign(files: Files, existing: Mapping[str, bytes], output: Path) -> None:
    refused = []
    base = f"{output}/"
    for path, text in files.items():
        target = f"{base}{path}"
        if path in existing:
            if objection := _why_not_replaced(text, existing[path]):
                refused.append(f"{target}: {objection}")
        elif os.path.lexists(target):
            refused.append(f"{target}: is in the way and not a plain file; move it away")
    refused += _refused_folders(files, output)
    if refused:
        lines = list(dict.fromkeys(refused))
        more = [f"and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
        raise OutputError("\n".join([*lines[:_SHOWN], *more]))


def _refused_folders(paths: Iterable[str], output: Path) -> Iterator[str]:
    folders = {output / folder for folder in {path.rpartition("/")[0] for path in paths}}
    above = {parent for folder in folders for parent in folder.parents if output in parent.parents}
    for folder in sorted((folders | above) - {output}):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            yield f"{folder}: a folder is to be generated here; move it away"
