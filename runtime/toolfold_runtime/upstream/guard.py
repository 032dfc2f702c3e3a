"""A small process that kills a gateway's children if the gateway itself is killed.

It reads the numbers of process groups from a pipe; when the pipe closes, it kills those that are left.
Children that read their standard input end by themselves, and are given a moment for that.
"""

import contextlib
import os
import subprocess
from typing import Final

_SHELL: Final = "/bin/sh"
# `+ 12` adds a group and `- 12` removes it. Nothing but our own numbers reaches the script.
_SCRIPT: Final = """
trap '' HUP INT TERM
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;; esac ;;
  esac
done
[ "$groups" = ' ' ] && exit 0
sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done
"""


class Guard:
    """The process, started with the first child; where none can be started, there is no guard."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """Have a process group killed if this process ends without having removed it."""
        if self._process is None and os.name == "posix":
            with contextlib.suppress(OSError):
                self._process = subprocess.Popen(  # noqa: S603 - a script of ours
                    [_SHELL, "-c", _SCRIPT],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    bufsize=0,
                    env={"PATH": os.environ.get("PATH", os.defpath)},
                    cwd="/",
                )
        self._tell(f"+ {group}\n")

    def remove(self, group: int) -> None:
        """Leave a process group alone: it has ended."""
        self._tell(f"- {group}\n")

    def close(self) -> None:
        """End the guard, which kills what is left."""
        if self._process is None:
            return
        process, self._process = self._process, None
        if process.stdin is not None:
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=2)

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(line.encode())
