"""The bytes of an answer, decompressed within bounds: a few kilobytes can stand for gigabytes."""

import zlib
from typing import Final

from toolfold_runtime.upstream.errors import UpstreamError

#: What requests say that they understand.
ENCODINGS: Final = "gzip, deflate"
_GZIP: Final = 31
_ZLIB: Final = 15
_DEFLATE: Final = -15


class UnreadableError(UpstreamError):
    """An answer that came and cannot be read: the request was carried out, or may have been."""


class TooLongError(UnreadableError):
    """An answer with more bytes than are taken."""

    def __init__(self, most: int) -> None:
        super().__init__(f"its answer has more than {most:,} bytes")


class BoundedBody:
    """What has come of an answer so far; neither it nor what came over the wire exceeds `most` bytes."""

    def __init__(self, encoding: str, most: int) -> None:
        names = [name.strip().lower() for name in encoding.split(",") if name.strip()]
        names = [name for name in names if name != "identity"]
        is_known = not names or names in (["gzip"], ["x-gzip"], ["deflate"])
        self._unknown = "" if is_known else encoding[:60]
        self._inflate = _Inflate(is_gzip=names != ["deflate"]) if names else None
        self._most = most
        self._came = 0
        self._size = 0
        self._parts: list[bytes] = []

    def add(self, data: bytes) -> None:
        """Take more; TooLongError where that is too much, UnreadableError where nobody asked for its encoding."""
        if self._unknown:
            fact = "it answers in an encoding that was not asked for"
            raise UnreadableError(f"{fact}: {self._unknown}")
        self._came += len(data)
        if self._came > self._most:
            raise TooLongError(self._most)
        if self._inflate is None:
            self._take(data)
            return
        try:
            while data:
                part, data = self._inflate.step(data, self._most - self._size + 1)
                self._take(part)
        except zlib.error:
            raise UnreadableError("its answer is not compressed as it says") from None

    def so_far(self) -> bytes:
        """What has come, complete or not."""
        return b"".join(self._parts)

    def content(self) -> bytes:
        """All of it; UnreadableError where it is not complete."""
        if self._inflate is not None and self._came and not self._inflate.is_complete:
            raise UnreadableError("its answer is truncated")
        return self.so_far()

    def _take(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self._most:
            raise TooLongError(self._most)
        self._parts.append(data)


class _Inflate:
    """Decompresses step by step, no step larger than is asked for."""

    def __init__(self, *, is_gzip: bool) -> None:
        self._is_gzip = is_gzip
        self._inflate = zlib.decompressobj(_GZIP if is_gzip else _ZLIB)
        self._has_begun = False

    @property
    def is_complete(self) -> bool:
        """Whether the end has come."""
        return self._inflate.eof

    def step(self, data: bytes, room: int) -> tuple[bytes, bytes]:
        """What the beginning of the data stands for, and the data that are left."""
        if self._inflate.eof:
            if not self._is_gzip:
                return b"", b""
            self._inflate = zlib.decompressobj(_GZIP)  # one file may follow another
        try:
            part = self._inflate.decompress(data, room)
        except zlib.error:
            if self._is_gzip or self._has_begun:
                raise
            self._inflate = zlib.decompressobj(_DEFLATE)  # what many mean by deflate
            part = self._inflate.decompress(data, room)
        self._has_begun = True
        return part, self._inflate.unconsumed_tail or self._inflate.unused_data
