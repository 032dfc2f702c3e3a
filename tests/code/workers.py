"""The processes that a server runs programs in; any of them may end while it is looked at."""

from pathlib import Path

from tests.support.processes import is_running


def workers_of(server: int) -> list[int]:
    """The processes of programs that a server, or one of its workers, has now."""
    found = (process for process in _below(server) if _name(process).startswith("monty"))
    return sorted(process for process in found if is_running(process))


def peak_megabytes(process: int) -> int:
    """The most memory that a process has had at once; 0 for one that has just ended."""
    rows = _read(process, "status").splitlines()
    return next((int(row.split()[1]) // 1000 for row in rows if row.startswith("VmHWM")), 0)


def _below(process: int) -> list[int]:
    children = []
    for thread in _threads(process):
        children += [int(number) for number in _read(process, f"task/{thread}/children").split()]
    return [*children, *(below for child in children for below in _below(child))]


def _threads(process: int) -> list[str]:
    try:
        return [thread.name for thread in Path(f"/proc/{process}/task").iterdir()]
    except FileNotFoundError:
        return []


def _name(process: int) -> str:
    return _read(process, "comm").strip()


def _read(process: int, name: str) -> str:
    """What the system says of a process; nothing of one that has ended."""
    try:
        return Path(f"/proc/{process}/{name}").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ""
