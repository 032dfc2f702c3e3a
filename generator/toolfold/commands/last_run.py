"""Knowing without compiling that nothing changed: digests of what went in and what came out.

Kept in the cache after a run that found or left the output current. Any doubt means compiling.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolfold.emit.output import left_over, owner_of, scan
from toolfold.emit.swap import has_remains
from toolfold.errors import Place, Problem, Source
from toolfold.memo.fingerprint import code_fingerprint
from toolfold.memo.keys import content_key
from toolfold.memo.store import Cache

if TYPE_CHECKING:
    from toolfold.compile import Compiled


@dataclass(frozen=True)
class Known:
    """The last run, where nothing changed since: its warnings, and how many files it generates."""

    warnings: tuple[Problem, ...]
    outputs: int
    exposure: str


def remember(store: Cache, manifest: Path, way_back: str, compiled: "Compiled") -> None:
    """Keep what this run read and what it generates."""
    record = {
        # Of what was compiled, not of what the files hold by now.
        "inputs": [[str(path), digest] for path, digest in compiled.inputs.items()],
        "patterns": compiled.patterns,
        "outputs": {path: _digest(text.encode()) for path, text in compiled.files.items()},
        "exposure": compiled.exposure,
        "warnings": [_plain(problem) for problem in compiled.warnings],
    }
    store.put({_key(manifest, way_back): json.dumps(record)})


def last_run(store: Cache, manifest: Path, way_back: str, output: Path) -> Known | None:
    """The last run where neither input nor output changed since; else None."""
    key = _key(manifest, way_back)
    kept = store.get([key]).get(key)
    if kept is None:
        return None
    record = json.loads(kept)
    try:
        if not _same_inputs(record, manifest) or not _same_outputs(record["outputs"], output):
            return None
        if has_remains(output):
            return None  # a run that died left something to tidy up
        warnings = _problems(record["warnings"], [Path(path) for path, _ in record["inputs"]])
    except OSError:
        return None
    return Known(warnings, len(record["outputs"]), record["exposure"])


def _same_inputs(record: dict[str, Any], manifest: Path) -> bool:
    globbed = (path for pattern in record["patterns"] for path in manifest.parent.glob(pattern))
    found = {path for path in globbed if path.is_file()}
    recorded = {Path(path) for path, _ in record["inputs"]}
    if found | {manifest} != recorded:
        return False
    return all(_digest(Path(path).read_bytes()) == digest for path, digest in record["inputs"])


def _same_outputs(outputs: dict[str, str], output: Path) -> bool:
    there = scan(output)
    for path, digest in outputs.items():
        data = there.get(path)
        if data is None or _digest(data) != digest:
            return False
    return not left_over({path: owner_of(there[path]) for path in outputs}, there)


def _plain(problem: Problem) -> list[Any]:
    place = problem.place
    at = [place.source.name, place.line, place.column]
    return [at, problem.path, problem.fact, problem.hint, problem.severity, problem.code]


def _problems(kept: list[list[Any]], inputs: list[Path]) -> tuple[Problem, ...]:
    sources = {
        str(path): Source(str(path), path.read_text(encoding="utf-8-sig"), order)
        for order, path in enumerate(inputs if kept else [], start=1)
    }
    return tuple(
        Problem(Place(sources[name], line, column), *rest) for (name, line, column), *rest in kept
    )


def _key(manifest: Path, way_back: str) -> str:
    return content_key("run", str(manifest), way_back, code_fingerprint())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
