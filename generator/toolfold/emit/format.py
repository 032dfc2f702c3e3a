"""One ruff pass over all Python, cached by content."""

import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from toolfold.emit.cache import Cache, content_key

_OPTIONS: Final = ("--isolated", "--no-cache", "--line-length=100", "--target-version=py311")


def formatted(sources: Mapping[PurePosixPath, str], cache_: Cache) -> dict[PurePosixPath, str]:
    """Every source as the installed ruff formats it."""
    version = _version()
    keys = {path: content_key("format", version, _OPTIONS, text) for path, text in sources.items()}
    known = cache_.get(keys.values())
    missing = {path: text for path, text in sources.items() if keys[path] not in known}
    if missing:
        fresh = {keys[path]: text for path, text in _run(missing).items()}
        cache_.put(fresh)
        known |= fresh
    return {path: known[key] for path, key in keys.items()}


def reformatted(sources: Mapping[PurePosixPath, str]) -> dict[PurePosixPath, str]:
    """Found sources as the installed ruff formats them; what is not Python stays as it is."""
    return _run(sources, must_succeed=False)


def _run(
    sources: Mapping[PurePosixPath, str], *, must_succeed: bool = True
) -> dict[PurePosixPath, str]:
    # Files are numbered, so that no manifest's names reach the command or its folder.
    with tempfile.TemporaryDirectory(prefix="toolfold-") as folder:
        files = {path: Path(folder, f"{n}.py") for n, path in enumerate(sources)}
        for path, file in files.items():
            file.write_text(sources[path], encoding="utf-8", newline="\n")
        command = [_binary(), "format", *_OPTIONS, "--quiet", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own arguments
        if done.returncode != 0 and must_succeed:
            raise RuntimeError(f"ruff could not format generated code: {done.stderr[:2000]}")
        return {path: file.read_bytes().decode("utf-8") for path, file in files.items()}


@cache
def _binary() -> str:
    from ruff import find_ruff_bin

    return str(find_ruff_bin())


@cache
def _version() -> str:
    from importlib.metadata import version

    return version("ruff")
