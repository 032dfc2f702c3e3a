"""A program: run `toolfold generate` again and again, killed at each change in turn.

    python killer.py exchange|two-renames STEP     in a folder that holds `before/`, a project

It warms up first, then forks once per kill point: a fork costs milliseconds where a new
interpreter costs half a second. Each fork kills itself at its n-th change below the project; a
second fork repairs. Each line printed is a point with the project's state after both. Where two
renames stand for the exchange, only they and what follows differ: points begin just before them.
"""

import ctypes
import hashlib
import itertools
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import toolfold.cli.main

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = frozenset(
    {"os.mkdir", "os.link", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.chmod"}
    | {"os.utime", "os.truncate", "shutil.rmtree", "shutil.copyfile", "shutil.move"}
)


class Countdown:
    """Kills this process at the n-th change below `root`, once armed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.left = 0
        self.seen: list[str] = []

    def watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._is_change(event, arguments):
            self.seen.append(event)
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def _is_change(self, event: str, arguments: tuple[Any, ...]) -> bool:
        if event == "open":
            return bool(arguments[2] & _WRITES) and self._is_inside(arguments[0])
        if event in ("os.remove", "os.rmdir") and arguments[-1] != -1:
            return True  # inside rmtree, where paths are relative to an open folder
        if event in _CHANGES:
            return self._is_inside(arguments[0])
        return event.startswith("ctypes.")

    def _is_inside(self, path: Any) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        return Path(os.fsdecode(path)).absolute().is_relative_to(self.root)


class _NoExchange:
    """A system library without the call that swaps two folders."""

    def __init__(self, _: object) -> None:
        pass

    def renameat2(self, *_: object) -> int:
        return -1


def state(root: Path) -> dict[str, str]:
    """Every path below `root` with a digest of its content or what else it is."""
    found = {}
    for folder, folders, names in os.walk(root):
        for name in [*folders, *names]:
            path = Path(folder, name)
            if path.is_symlink():
                kind = f"link to {path.readlink()}"
            else:
                kind = "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
            found[path.relative_to(root).as_posix()] = kind
    return found


def _run(project: Path) -> int:
    os.chdir(project)
    return toolfold.cli.main.main(["generate", "--quiet"])


def _forked(project: Path, countdown: Countdown, left: int) -> int:
    child = os.fork()
    if child == 0:
        countdown.left = left
        os._exit(_run(project))
    return os.waitpid(child, 0)[1]


def main() -> None:
    if sys.argv[1] != "exchange":
        ctypes.CDLL = _NoExchange  # type: ignore[misc,assignment]  # a system without the call
    here = Path.cwd()
    before, project = here / "before", here / "project"
    shutil.copytree(before, project, symlinks=True)
    assert _run(project) == 0  # so that what is compiled is stored
    os.chdir(here)
    shutil.rmtree(project)
    countdown = Countdown(project)
    sys.addaudithook(countdown.watch)
    first = 1
    if sys.argv[1] != "exchange":
        shutil.copytree(before, project, symlinks=True)
        countdown.seen.clear()
        assert _run(project) == 0
        os.chdir(here)
        first = countdown.seen.index("os.rename") - 1
    for point in itertools.count(first, int(sys.argv[2])):
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(before, project, symlinks=True)
        status = _forked(project, countdown, point)
        if not os.WIFSIGNALED(status):
            assert status == 0, status
            break
        after = state(project)
        assert _forked(project, countdown, 0) == 0
        print(json.dumps({"point": point, "after": after, "repaired": state(project)}))


if __name__ == "__main__":
    main()
