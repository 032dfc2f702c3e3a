"""Files of JSON lines, each line found by the value of its first key."""

import json
from collections.abc import KeysView
from pathlib import Path

from toolfold_runtime.contract.codec import Json


class IndexedLines:
    """A file of the catalog; only the lines that are asked for are parsed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offsets = _offsets(path.read_bytes())

    def values(self) -> KeysView[str]:
        """The values by which lines are found, in the order of the lines."""
        return self._offsets.keys()

    def get(self, value: str) -> Json | None:
        """The line whose first key has this value; None where there is none."""
        if value not in self._offsets:
            return None
        start, length = self._offsets[value]
        with self._path.open("rb") as stream:
            stream.seek(start)
            loaded: Json = json.loads(stream.read(length))
        return loaded


def _offsets(data: bytes) -> dict[str, tuple[int, int]]:
    """Start and length of each line of a file, by the value of its first key."""
    offsets = {}
    start = data.index(b"\n") + 1  # the first line says whose file it is
    while start < len(data):
        end = data.index(b"\n", start)
        quote = data.index(b'":"', start) + 3
        name = data[quote : data.index(b'"', quote)].decode()
        offsets[name] = (start, end - start)
        start = end + 1
    return offsets
