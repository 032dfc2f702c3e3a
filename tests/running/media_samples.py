"""Small pictures and sounds, each with a header that is right."""

import struct
import zlib
from typing import Final


def png(width: int = 30, height: int = 25) -> bytes:
    """A PNG that says it has this size; one that says so truly, where that is small."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" * (width + 1)) * height if width * height < 100_000 else b""
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


def gif(width: int = 30, height: int = 25) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def jpeg(width: int = 30, height: int = 25, before: bytes = b"") -> bytes:
    """A JPEG of a baseline frame, after what else may stand before it."""
    tables = b"\xff\xdb" + struct.pack(">H", 67) + bytes(65)
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 8, 8, height, width, 0)
    return b"\xff\xd8\xff\xe0\x00\x04ab" + before + tables + frame + b"\xff\xd9"


def _riff(kind: bytes, name: bytes, data: bytes) -> bytes:
    chunk = kind + name + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunk)) + chunk


def webp_lossy(width: int = 30, height: int = 25) -> bytes:
    data = b"\x10\x02\x00\x9d\x01\x2a" + struct.pack("<HH", width, height)
    return _riff(b"WEBP", b"VP8 ", data)


def webp_lossless(width: int = 30, height: int = 25) -> bytes:
    return _riff(b"WEBP", b"VP8L", b"\x2f" + struct.pack("<I", width - 1 | (height - 1) << 14))


def webp_extended(width: int = 30, height: int = 25) -> bytes:
    sizes = (value.to_bytes(3, "little") for value in (width - 1, height - 1))
    return _riff(b"WEBP", b"VP8X", bytes(4) + b"".join(sizes))


def wav(seconds: float = 1, rate: int = 8000) -> bytes:
    """Silence, of one byte a sample."""
    head = struct.pack("<HHIIHH", 1, 1, rate, rate, 1, 8)
    samples = bytes(int(seconds * rate))
    data = b"data" + struct.pack("<I", len(samples)) + samples
    return _riff(b"WAVE", b"fmt ", head) + data


#: By media type: the beginning of such a file.
BEGINNINGS: Final = {
    "image/png": png(),
    "image/gif": gif(),
    "image/jpeg": jpeg(),
    "image/webp": webp_lossy(),
    "audio/wav": wav(0.01),
    "audio/mpeg": b"\xff\xfb\x90\x00" + bytes(20),
    "audio/ogg": b"OggS" + bytes(20),
    "audio/flac": b"fLaC" + bytes(20),
    "audio/mp4": b"\x00\x00\x00\x20ftypM4A " + bytes(20),
}
