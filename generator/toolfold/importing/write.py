"""Writing an imported manifest as YAML: blocks outside, JSON inside.

PyYAML's own writer follows YAML 1.1 and would leave strings bare that 1.2 reads as numbers.
JSON is YAML 1.2, so what is written as JSON is read back exactly.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

_PLAIN: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*([ /.-][A-Za-z0-9_$]+)*")
_WORDS: Final = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"])
_NOT_PRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
# Keys whose values get a line per entry; everything below is one JSON line.
_BLOCKS: Final = (
    (),
    ("$defs",),
    ("server",),
    ("categories",),
    ("tools",),
    ("tools", "*"),
    ("tools", "*", "input_schema"),
    ("tools", "*", "input_schema", "properties"),
    ("tools", "*", "output_schema"),
    ("tools", "*", "output_schema", "properties"),
)


def manifest_text(data: dict[str, Any], first_line: str) -> str:
    """A manifest or a part of one as YAML text, ending in a newline; the first line is a comment."""
    return "\n".join([f"# {_comment(first_line)}", *_lines(data, ())]) + "\n"


def inline(value: object) -> str:
    """A value as YAML on one line."""
    return _scalar(value)


def key_text(key: str) -> str:
    """A key as YAML, in quotes where it needs them."""
    return _key(key)


def _lines(data: dict[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    indent = "  " * len(path)
    for key, value in data.items():
        below = (*path, "*" if path == ("tools",) else key)
        shown = _key(key)
        if isinstance(value, dict) and value and below in _BLOCKS:
            if not path and key != "toolfold":
                yield ""
            yield f"{indent}{shown}:"
            yield from _lines(value, below)
        else:
            yield f"{indent}{shown}: {_scalar(value)}"


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) else _json(key)


def _scalar(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return _json(value)


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_PRINTABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _comment(text: str) -> str:
    return "".join(character for character in text if character.isprintable())
