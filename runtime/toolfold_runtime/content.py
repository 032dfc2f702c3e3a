"""What a method may return besides JSON: pictures, sound, files and links to resources.

These are plain values: what is wrong with one is found, and logged, when it is sent. They have a
field for all that the protocol says about a block of content, so that what another MCP server
answered can be passed on unchanged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Final, Generic, Self, TypeAlias, TypeVar

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True, kw_only=True)
class _Block:
    #: For whom the block is and how much it matters, in the protocol's words: `audience`,
    #: `priority`, `lastModified`.
    annotations: Mapping[str, Any] | None = None
    #: The block's `_meta`.
    meta: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Text(_Block):
    """A text that says more about itself than a `str` can."""

    #: The text.
    text: str


@dataclass(frozen=True)
class _Media(_Block):
    #: The bytes of the file.
    data: bytes = field(repr=False)
    #: The media type; None where it is to be recognised.
    mime_type: str | None = None

    @classmethod
    def from_file(cls, path: str | PathLike[str], mime_type: str | None = None) -> Self:
        """What is in a file of this machine."""
        return cls(Path(path).read_bytes(), mime_type)


class Image(_Media):
    """A picture. The media type of PNG, JPEG, GIF and WebP is recognised where none is given."""


class Audio(_Media):
    """Sound. The media type of WAV, MP3, Ogg, FLAC and M4A is recognised where none is given."""


@dataclass(frozen=True)
class File(_Block):
    """A file inside the answer: text as `str`, anything else as `bytes`.

    `uri` is its name for the client, which can read it there only if the server has a resource
    of that address.
    """

    #: What is in the file.
    data: bytes | str = field(repr=False)
    #: What the client knows the file by.
    uri: str
    #: The media type.
    mime_type: str | None = None
    #: The `_meta` of the file itself; `meta` is that of the block around it.
    file_meta: Mapping[str, Any] | None = field(default=None, kw_only=True)

    @classmethod
    def from_file(cls, path: str | PathLike[str], uri: str, mime_type: str | None = None) -> Self:
        """A file of this machine under a name for the client; as text where it is UTF-8."""
        data = Path(path).read_bytes()
        try:
            return cls(data.decode(), uri, mime_type)
        except UnicodeDecodeError:
            return cls(data, uri, mime_type)


@dataclass(frozen=True)
class Link(_Block):
    """A resource that the client may read by its address; `name` is what it is called."""

    #: The address.
    uri: str
    #: What the resource is called.
    name: str
    #: Its name for people.
    title: str | None = None
    #: What can be read there.
    description: str | None = None
    #: The media type of what can be read.
    mime_type: str | None = None
    #: In bytes.
    size: int | None = None
    #: Pictures of it, as MCP has them.
    icons: Sequence[Mapping[str, Any]] | None = field(default=None, kw_only=True)


#: One block of an answer.
Content: TypeAlias = str | Text | Image | Audio | File | Link
#: What a tool with `content: mixed` returns; named so that no tool called `str` hides a part of it.
MixedContent: TypeAlias = Sequence[Content]
#: The types of blocks, but for `str`, which may also be an ordinary result.
BLOCK_TYPES: Final = (Text, Image, Audio, File, Link)


@dataclass(frozen=True)
class ToolResult(Generic[Value]):
    """The value that `returns` promises, and content beside it."""

    #: The value that `returns` declares.
    value: Value
    #: Blocks beside it.
    content: Sequence[Content] = ()
