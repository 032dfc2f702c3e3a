"""The type checker of the tests: mypy, one run at a time, with a cache that all runs share.

Most of a run goes into the packages that generated code imports. They are looked at once for each
environment, as its bytecode is, and not once for each worker and run of the tests.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock

from tests.support.commands import Result, python
from tests.support.waiting import PATIENCE

_CACHES: Final = Path(sys.prefix, "mypy")


@contextmanager
def cache(name: str) -> Iterator[dict[str, str]]:
    """The environment of runs with the same options; others would undo each other's work."""
    folder = _CACHES / name
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock", timeout=PATIENCE):
        yield {"MYPY_CACHE_DIR": str(folder)}


def strictly_checked(folder: Path, *names: str, path: str | None = None) -> Result:
    """What `mypy --strict` says of files or packages in `folder`; `path` is where it finds more."""
    command = ("-m", "mypy", "--strict", "--config-file=", *names)
    with cache("strict") as environment:
        more = {} if path is None else {"MYPYPATH": path}
        return python(folder, *command, environment={**environment, **more})
