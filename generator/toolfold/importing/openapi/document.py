"""Reading a document: JSON or YAML, from a file or an address, as plain data within bounds."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolfold_runtime.contract.codec import Json

from toolfold.disk import read_file
from toolfold.errors import UsageError
from toolfold.importing.openapi.fetch import fetched, is_address
from toolfold.importing.openapi.warnings import Warnings
from toolfold.importing.openapi.yaml_reader import read_yaml_text

#: The largest document that is read. GitHub's has 12 MB with its white space.
MAX_BYTES: Final = 32 * 1024 * 1024
_SURROGATES: Final = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


@dataclass(frozen=True)
class Document:
    """A document as it was read."""

    #: The path or the address that it was read from.
    source: str
    data: Json

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.source


def read_document(source: str, seconds: float, warnings: Warnings) -> Document:
    """The document at a path or an address.

    Raises UsageError, with its place, for what cannot be read, and for what is no mapping.
    """
    data = fetched(source, MAX_BYTES, seconds) if is_address(source) else _file(Path(source))
    text = _decoded(data, source)
    if text.lstrip()[:1] == "{" and not source.endswith((".yaml", ".yml")):
        parsed = _json(text, source, warnings)
    else:
        parsed = read_yaml_text(_without_signs(text, warnings), source, warnings)
    if not isinstance(parsed, dict):
        raise UsageError(f"{source}:1:1: not an OpenAPI document: its root is no mapping")
    return Document(source, parsed)


def _file(path: Path) -> bytes:
    try:
        data = read_file(path, MAX_BYTES)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        way_out = "import a part of it: leave out paths that agents do not need"
        raise UsageError(f"{path}: more than {MAX_BYTES:,} bytes; {way_out}")
    return data


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        fact = f"byte 0x{data[error.start]:02x} is not UTF-8; save it as UTF-8"
        raise UsageError(f"{source}:{line}:{column}: {fact}") from None


def _json(text: str, source: str, warnings: Warnings) -> Any:
    def constant(name: str) -> None:
        warnings.add("numbers that JSON does not have are left out", name)

    def number(digits: str) -> float | None:
        value = float(digits)
        if math.isfinite(value):
            return value
        constant(digits[:40])
        return None

    def mapping(pairs: list[tuple[str, Any]]) -> Json:
        json_object = dict(pairs)
        if len(json_object) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in json_object if keys.count(key) > 1)
            warnings.add("a key twice: the last one counts", ascii(twice))
        return json_object

    try:
        parsed = json.loads(
            text, parse_constant=constant, parse_float=number, object_pairs_hook=mapping
        )
    except json.JSONDecodeError as error:
        place = f"{source}:{error.lineno}:{error.colno}"
        raise UsageError(f"{place}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{source}:1:1: not JSON that can be read: nested too deeply") from None
    return _without_surrogates(parsed) if "\\u" in text and _has_surrogates(parsed) else parsed


def _has_surrogates(parsed: Any) -> bool:
    try:
        json.dumps(parsed, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _without_surrogates(value: Any) -> Any:
    """A copy in which halves of characters, which no file can hold, are marks of what was there."""
    if isinstance(value, str):
        return value.translate(_SURROGATES)
    if isinstance(value, dict):
        return {
            _without_surrogates(key): _without_surrogates(inner) for key, inner in value.items()
        }
    return [_without_surrogates(item) for item in value] if isinstance(value, list) else value


def _without_signs(text: str, warnings: Warnings) -> str:
    """The text without the control characters that PyYAML refuses a whole document for."""
    bad = {c for c in set(text) if not c.isprintable() and not _is_readable(c)}
    if not bad:
        return text
    first = min(map(text.index, bad))
    warnings.add("control characters are left out", f"line {text.count(chr(10), 0, first) + 1}")
    return text.translate(dict.fromkeys(map(ord, bad), " "))


def _is_readable(character: str) -> bool:
    number = ord(character)
    is_text = number in (9, 10, 13, 0x85) or 0xA0 <= number <= 0xD7FF or number >= 0x10000
    return is_text or (0xE000 <= number <= 0xFFFD and number != 0xFEFF)
