"""The processes that a server runs programs in."""

from pathlib import Path


def workers_of(server: int) -> list[int]:
    """The processes of programs that a server, or one of its workers, has now."""
    found = (process for process in _below(server) if _name(process).startswith("monty"))
    return sorted(process for process in found if is_running(process))


def peak_megabytes(process: int) -> int:
    """The most memory that a process has had at once; 0 for one that has just ended."""
    status = Path(f"/proc/{process}/status")
    try:
        rows = status.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return 0
    return next((int(row.split()[1]) // 1000 for row in rows if row.startswith("VmHWM")), 0)


def is_running(process: int) -> bool:
    """Whether a process is there, and no mere record of one that has ended."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def _below(process: int) -> list[int]:
    children = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        children += [int(number) for number in task.read_text(encoding="utf-8").split()]
    return [*children, *(below for child in children for below in _below(child))]


def _name(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
