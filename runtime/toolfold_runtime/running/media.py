"""Media types and token costs, read from the first bytes of media.

Headers are read without an image library, and any bytes may stand where a header should be.
"""

import struct
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

#: Pixels of a picture that cost one token, and the most that a picture costs: clients, or the
#: models behind them, scale larger ones down.
_PIXELS_PER_TOKEN: Final = 750
MAX_IMAGE_TOKENS: Final = 1_600
_AUDIO_TOKENS_PER_SECOND: Final = 32
#: Of compressed sound, whose length no header tells: 64 kbit/s.
_AUDIO_BYTES_PER_SECOND: Final = 8_000
_MOST_SEGMENTS: Final = 1_000
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_MP4_BRANDS: Final = (b"M4A ", b"M4B ", b"isom", b"iso2", b"mp41", b"mp42")
# Of JPEG: markers of frames, which tell the size, and markers without a length.
_JPEG_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE: Final = frozenset({0x01, *range(0xD0, 0xD9)})


class ImageSize(NamedTuple):
    """The size of a picture in pixels."""

    width: int
    height: int


def media_type_of(data: bytes) -> str | None:
    """The media type of a picture or of sound by its first bytes; None for anything else."""
    if data.startswith(_PNG):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF"):
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12])
    if data.startswith(b"OggS"):
        return "audio/ogg"
    if data.startswith(b"fLaC"):
        return "audio/flac"
    if data[4:8] == b"ftyp" and data[8:12] in _MP4_BRANDS:
        return "audio/mp4"
    return "audio/mpeg" if data.startswith(b"ID3") or _is_mpeg_frame(data) else None


def image_tokens(data: bytes) -> int:
    """The tokens of an image by its pixels; the maximum if its size is unknown."""
    size = image_size(data)
    if size is None:
        return MAX_IMAGE_TOKENS
    return min(MAX_IMAGE_TOKENS, -(-size.width * size.height // _PIXELS_PER_TOKEN))


def audio_tokens(data: bytes) -> int:
    """The tokens of audio by its seconds, which are exact for WAV and estimated for others."""
    rate = _AUDIO_BYTES_PER_SECOND
    if media_type_of(data) == "audio/wav" and data[12:16] == b"fmt " and len(data) >= 32:
        (rate,) = struct.unpack_from("<I", data, 28)
    return max(1, -(-_AUDIO_TOKENS_PER_SECOND * len(data) // (rate or _AUDIO_BYTES_PER_SECOND)))


def image_size(data: bytes) -> ImageSize | None:
    """The size in an image's header; None if there is no valid one."""
    readers = {
        "image/png": _png_size,
        "image/gif": _gif_size,
        "image/webp": _webp_size,
        "image/jpeg": _jpeg_size,
    }
    read = readers.get(media_type_of(data) or "")
    try:
        size = read(data) if read else None
    except struct.error:  # the data ends within the header
        return None
    return size if size and size.width > 0 and size.height > 0 else None


def _png_size(data: bytes) -> ImageSize | None:
    return ImageSize(*struct.unpack_from(">II", data, 16)) if data[12:16] == b"IHDR" else None


def _gif_size(data: bytes) -> ImageSize:
    return ImageSize(*struct.unpack_from("<HH", data, 6))


def _webp_size(data: bytes) -> ImageSize | None:
    chunk = data[12:16]
    if chunk == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", data, 26)
        return ImageSize(width & 0x3FFF, height & 0x3FFF)
    if chunk == b"VP8L" and data[20:21] == b"\x2f":
        (bits,) = struct.unpack_from("<I", data, 21)
        return ImageSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if chunk == b"VP8X" and len(data) >= 30:
        width, height = (int.from_bytes(data[at : at + 3], "little") for at in (24, 27))
        return ImageSize(width + 1, height + 1)
    return None


def _jpeg_size(data: bytes) -> ImageSize | None:
    for marker, at in islice(_jpeg_segments(data), _MOST_SEGMENTS):
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return ImageSize(width, height)
    return None


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Each segment: its marker, and where it begins."""
    at = 2
    while at + 1 < len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        yield marker, at
        if marker == 0xFF:  # a byte that fills up
            at += 1
        elif marker in _JPEG_BARE:
            at += 2
        else:
            (length,) = struct.unpack_from(">H", data, at + 2)
            at += 2 + max(2, length)


def _is_mpeg_frame(data: bytes) -> bool:
    """Whether an MP3 without a tag begins here: a header whose parts all have a meaning."""
    if len(data) < 4 or data[0] != 0xFF or data[1] & 0xE0 != 0xE0:
        return False
    version, layer = data[1] >> 3 & 3, data[1] >> 1 & 3
    bit_rate, sample_rate = data[2] >> 4, data[2] >> 2 & 3
    return version != 1 and layer != 0 and bit_rate not in (0, 15) and sample_rate != 3
