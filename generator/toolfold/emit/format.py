"""One ruff pass over all Python."""

import hashlib
import os
import subprocess
from collections.abc import Collection
from functools import cache
from typing import Final

_OPTIONS: Final = ("--isolated", "--no-cache", "--line-length=100", "--target-version=py311")
_WITHOUT_COMMAS: Final = ("--config", "format.skip-magic-trailing-comma=true")


def is_formatting(found: str, expected: str, suffix: str) -> bool:
    """Whether two texts differ only in formatting, as two releases of a formatter do.

    Of a page, ruff formats the Python that stands in it.
    """
    plain = _plainest(expected, suffix)
    return plain is not None and plain == _plainest(found, suffix)


def _plainest(text: str, suffix: str) -> str | None:
    done = _ruff(text, (*_OPTIONS, *_WITHOUT_COMMAS), suffix)
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


def _ruff(
    text: str, options: tuple[str, ...], suffix: str = ".py"
) -> "subprocess.CompletedProcess[str]":
    name = f"generated{suffix}"
    command = [_binary(), "format", *options, "--quiet", "--stdin-filename", name, "-"]
    return subprocess.run(  # noqa: S603 - our own arguments
        command,
        input=text,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={name: value for name, value in os.environ.items() if not name.startswith("RUFF_")},
    )


@cache
def _binary() -> str:
    from ruff import find_ruff_bin

    return str(find_ruff_bin())
