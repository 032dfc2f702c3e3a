"""Knowing without compiling that nothing changed: digests of what was read and what was written.

Recorded after a run that found or left the output current. Any doubt means compiling.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolfold.disk import read_file
from toolfold.emit.output import Files, left_over, owner_of, scan
from toolfold.emit.swap import has_remains
from toolfold.errors import Place, Problem, Source
from toolfold.manifest.include import MAX_BYTES, files_matching
from toolfold.memo.memo import digest_of
from toolfold.memo.store import Store
from toolfold.plan.model import Cost, MethodPlan, ProtocolPlan, Summary
from toolfold.plan.text.paths import OutputPath

if TYPE_CHECKING:
    from toolfold.compile import Compiled

Record = dict[str, Any]

# What a record that is damaged, or files that changed meanwhile, may raise.
_UNREADABLE: Final = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RuntimeError,
)


@dataclass(frozen=True)
class LastRun:
    """What the last run came to, where neither its input nor its output changed since."""

    files: Files
    summary: Summary


class OutputFiles(Mapping[OutputPath, str]):
    """The files of an output folder that is current; each is read when it is asked for."""

    def __init__(self, output: Path, paths: Collection[str]) -> None:
        self._output = output
        self._paths = {OutputPath(path): None for path in paths}

    def __getitem__(self, path: OutputPath) -> str:
        self._paths[path]  # KeyError where it is not generated, whatever is in the folder
        return (self._output / path).read_text(encoding="utf-8")

    def __iter__(self) -> Iterator[OutputPath]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def record_run(store: Store, manifest: Path, way_back: str, compiled: "Compiled") -> None:
    """Store the digests of what this run read and generates, and what it came to."""
    record = {
        # Of what was compiled, not of what the files contain by now.
        "inputs": [[str(path), digest] for path, digest in compiled.inputs.items()],
        "patterns": compiled.patterns,
        "outputs": {path: _digest(text.encode()) for path, text in compiled.files.items()},
        "warnings": [_plain(problem) for problem in compiled.summary.warnings],
        "exposure": compiled.summary.exposure,
        "costs": compiled.summary.costs,
        "protocol": compiled.summary.protocol,
    }
    store.put(_key(manifest, way_back), json.dumps(record))


def last_run(store: Store, manifest: Path, way_back: str, output: Path) -> LastRun | None:
    """The last run where neither input nor output changed since; else None."""
    text = store.get(_key(manifest, way_back))
    if text is None:
        return None
    try:
        record: Record = json.loads(text)
        if not _has_same_inputs(record, manifest) or not _has_same_outputs(record, output):
            return None
        if has_remains(output):
            return None  # a run that died left something to tidy up
        return _from_record(record, output)
    except _UNREADABLE:
        return None


def is_behind(store: Store, manifest: Path, way_back: str, output: Path) -> bool:
    """Whether the output is still what an earlier manifest generated; False where that is unknown."""
    text = store.get(_key(manifest, way_back))
    if text is None:
        return False
    try:
        record: Record = json.loads(text)
        return not _has_same_inputs(record, manifest) and _has_same_outputs(record, output)
    except _UNREADABLE:
        return False


def _from_record(record: Record, output: Path) -> LastRun:
    package, implementation, methods = record["protocol"]
    protocol = ProtocolPlan(package, implementation, tuple(MethodPlan(*m) for m in methods))
    costs = tuple(Cost(*cost) for cost in record["costs"])
    summary = Summary(_problems(record), record["exposure"], costs, protocol)
    return LastRun(OutputFiles(output, record["outputs"]), summary)


def _has_same_inputs(record: Record, manifest: Path) -> bool:
    folder = manifest.parent
    current = {path for one in record["patterns"] for path in files_matching(folder, one)}
    current.add(manifest)
    if current != {Path(path) for path, _ in record["inputs"]}:
        return False
    return all(_digest(_content(Path(path))) == digest for path, digest in record["inputs"])


def _has_same_outputs(record: Record, output: Path) -> bool:
    existing, outputs = scan(output), record["outputs"]
    for path, digest in outputs.items():
        data = existing.get(path)
        if data is None or _digest(data) != digest:
            return False
    return not left_over({path: owner_of(existing[path]) for path in outputs}, existing)


def _plain(problem: Problem) -> list[Any]:
    place = problem.place
    at = [place.source.name, place.line, place.column]
    return [at, problem.path, problem.fact, problem.hint, problem.severity, problem.code]


def _problems(record: Record) -> tuple[Problem, ...]:
    rows = record["warnings"]
    inputs = [Path(path) for path, _ in record["inputs"]] if rows else []
    sources = {
        str(path): Source(str(path), _content(path).decode("utf-8-sig"), order)
        for order, path in enumerate(inputs, start=1)
    }
    return tuple(
        Problem(Place(sources[name], line, column), *rest) for (name, line, column), *rest in rows
    )


def _key(manifest: Path, way_back: str) -> str:
    return f"run:{digest_of([str(manifest), way_back])}"


def _content(path: Path) -> bytes:
    return read_file(path, MAX_BYTES)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
