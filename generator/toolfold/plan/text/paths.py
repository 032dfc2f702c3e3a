"""The injection boundary of paths: the only functions that make file names of a manifest's names."""

import re
from typing import Final, NewType

_SAFE_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
# Names that Windows reserves for devices, with any extension.
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10))]
)

#: A path below the output folder, with / between names; text, because there are thousands.
OutputPath = NewType("OutputPath", str)


def file_stem(name: str) -> str:
    """A file name without extension for `name`, safe on every file system.

    Names that differ in more than case get different stems. Raises ValueError for a name with
    other characters than letters, digits, `_`, `.` and `-`.
    """
    if not _SAFE_NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot name a file")
    return f"{name}_" if is_device(name) or name.lower() == "index" else name


def is_device(name: str) -> bool:
    """Whether Windows reserves the name for a device, whatever its extension."""
    return name.lower() in _DEVICES


def output_path(*parts: str) -> OutputPath:
    """A path below the output folder; ValueError where a part is not a plain file name."""
    for part in parts:
        if not _SAFE_NAME.fullmatch(part) or part.startswith("."):
            raise ValueError(f"{part!r} is not a name")
    return OutputPath("/".join(parts))
