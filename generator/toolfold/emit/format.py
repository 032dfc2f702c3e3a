"""One ruff pass over all Python, cached by content."""

import hashlib
import subprocess
from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from toolfold.emit.cache import Cache
from toolfold.plan.keys import content_key
from toolfold.plan.paths import OutputPath

Sources = Mapping[OutputPath, str]

_OPTIONS: Final = ("--isolated", "--no-cache", "--line-length=100", "--target-version=py311")
_WITHOUT_COMMAS: Final = ("--config", "format.skip-magic-trailing-comma=true")


def formatted(sources: Sources, keys: Sources, store: Cache) -> dict[OutputPath, str]:
    """Every source as the installed ruff formats it, kept under its key."""
    known = store.get(keys.values())
    missing = {path: text for path, text in sources.items() if keys[path] not in known}
    if missing:
        fresh = {
            keys[path]: t for path, t in zip(missing, format_all(missing.values()), strict=True)
        }
        store.put(fresh)
        known |= fresh
    return {path: known[key] for path, key in keys.items()}


def key_of(text: str) -> str:
    """What a source is kept under where nothing else stands for it."""
    return content_key("format", _version(), _OPTIONS, text)


def is_formatting(found: str, expected: str) -> bool:
    """Whether two texts differ in nothing but how some release of a formatter lays them out."""
    return _plainest(found) == _plainest(expected)


def _plainest(text: str) -> str | None:
    done = _ruff(text, (*_OPTIONS, *_WITHOUT_COMMAS))
    return done.stdout if done.returncode == 0 else None


def format_all(sources: Collection[str]) -> list[str]:
    """All sources as one, so that thousands of small files cost one process and no disk.

    The line between two of them holds a digest of them all, which no part can contain.
    """
    digest = hashlib.sha256("\0".join(sources).encode()).hexdigest()
    line = f"# part {digest}\n"
    done = _ruff("".join(f"{line}{text}\n" for text in sources), _OPTIONS)
    parts = done.stdout.split(line)[1:]
    if done.returncode != 0 or len(parts) != len(sources):
        raise RuntimeError(f"ruff could not format generated code: {done.stderr[:2000]}")
    return [f"{part.strip()}\n" for part in parts]


def _ruff(text: str, options: tuple[str, ...]) -> "subprocess.CompletedProcess[str]":
    command = [_binary(), "format", *options, "--quiet", "--stdin-filename", "generated.py", "-"]
    return subprocess.run(  # noqa: S603 - our own arguments
        command, input=text, capture_output=True, encoding="utf-8", check=False
    )


@cache
def _binary() -> str:
    from ruff import find_ruff_bin

    return str(find_ruff_bin())


@cache
def _version() -> str:
    from importlib.metadata import version

    return version("ruff")
