"""Characters that agents read and people do not see, wherever a manifest has text.

Listed, because what Python's own tables say depends on its version. What emoji and some scripts
are written with is no finding: joiners, variation selectors, the tags of flags.
"""

import json
import re
import sys
import unicodedata
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import Final

from toolfold_runtime.hidden import HIDDEN

from toolfold.errors import Place, Problem
from toolfold.manifest.tree import PlacedMapping, dotted, texts_of

CODE: Final = "hidden-characters"
_HINT: Final = "agents read them and people do not see them; remove them"
_MOST_SHOWN: Final = 4
_LONGEST: Final = 80

_EMOJI: Final = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_ONE_EMOJI: Final = f"[{_EMOJI}][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
# Ideographs and the punctuation that goes with them, which have variants.
_IDEOGRAPH: Final = (
    "\u3001\u3002\u3400-\u9fff\uf900-\ufaff\uff01\uff0c\uff0e\uff1a\uff1b\uff1f"
    "\U00020000-\U0003ffff"
)
# Arabic, Syriac, N'Ko, the scripts of India, Sri Lanka, Tibet, Myanmar and Cambodia, Mongolian.
_JOINED: Final = (
    "\u0600-\u0605\u0610-\u061a\u0620-\u07ff\u0840-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff"
    "\u1820-\u18aa\ua840-\ua8ff\ua980-\ua9df\uabc0-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00011fff"
)
_LEGITIMATE: Final = "|".join(
    (
        "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f",  # flags
        "[0-9#*]\ufe0f\u20e3",  # key caps
        f"{_ONE_EMOJI}(?:\u200d{_ONE_EMOJI})*",
        f"[{_IDEOGRAPH}][\ufe00-\ufe0f\U000e0100-\U000e01ef]",
        f"[{_JOINED}](?:\u200c(?=[{_JOINED}])|\u200d(?![{HIDDEN}]))",
        "[\u1820-\u18aa][\u180b-\u180d\u180f]",
        "[\u2800-\u28ff]*[\u2801-\u28ff][\u2800-\u28ff]*",  # Braille, with its spaces
    )
)
_CANDIDATE: Final = re.compile(f"[{HIDDEN}]")
_ASCII: Final = bytes(range(128))
# Escapes of YAML, which may stand for any of them; the first is that of a backslash.
_ESCAPED: Final = re.compile(rb"\\[0abefvxuU]")
_ESCAPE: Final = re.compile(
    r"\\(\\|[0abefv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00[01][0-9a-fA-F]{5})"
)


def may_hide(data: bytes) -> bool:
    """Whether a file may hold hidden characters: quick, and never False where it does.

    Of control characters only escapes count: no file that has them as they are can be read.
    """
    has_escapes = _ESCAPED.search(data) is not None
    # Without the plain characters, which are nearly all, there is little to look through.
    rest = b"" if data.isascii() else data.translate(None, _ASCII)
    if not has_escapes and not is_suspect(rest.decode("utf-8", "replace")):
        return False
    # Lines with nothing but emoji are no reason to go through the whole manifest.
    lines = data.removeprefix(BOM_UTF8).split(b"\n")
    suspects = (li for li in lines if not li.isascii() or (has_escapes and b"\\" in li))
    return any(map(_line_hides, suspects))


def _line_hides(line: bytes) -> bool:
    return bool(hidden_runs(_ESCAPE.sub(_unescaped, line.decode("utf-8", "replace"))))


def _unescaped(match: re.Match[str]) -> str:
    escape = match[1]
    if escape == "\\":
        return match[0]
    # What the shorter ones stand for are control characters.
    return chr(min(int(escape[1:], 16), sys.maxunicode)) if len(escape) > 1 else "\0"


def is_suspect(text: str) -> bool:
    """Whether a text holds characters that are hidden, or parts of emoji and some scripts."""
    return _CANDIDATE.search(text) is not None


def hidden_problems(tree: PlacedMapping) -> Iterator[Problem]:
    """A warning for each text and key of a manifest that holds hidden characters."""
    seen: set[Place] = set()  # what is repeated by an alias is one text
    for path, place, text in texts_of(tree):
        is_plain = text.isascii() and text.isprintable()
        if not is_plain and place not in seen and (runs := hidden_runs(text)):
            seen.add(place)
            yield Problem(place, dotted(path), _fact(runs), _HINT, "warning", CODE)


@cache
def _runs() -> re.Pattern[str]:
    """Runs of hidden characters; what may be there is taken first, so that nothing in it counts."""
    # Compiled where it is needed, which is seldom: it takes a while.
    return re.compile(f"(?:{_LEGITIMATE})|([{HIDDEN}]+)")


def hidden_runs(text: str) -> list[str]:
    """Every run of hidden characters in a text."""
    if not is_suspect(text):
        return []
    return [match[1] for match in _runs().finditer(text) if match[1]]


def with_marks(text: str) -> str:
    """The text with a visible mark in the place of each run of hidden characters."""
    return _replaced(text, _mark)


def with_escapes(json_text: str) -> str:
    """The same JSON with hidden characters as escapes."""
    return _replaced(json_text, lambda run: json.dumps(run)[1:-1])


def _replaced(text: str, replacement: Callable[[str], str]) -> str:
    if text.isascii() or not is_suspect(text):
        return text
    return _runs().sub(lambda match: replacement(match[1]) if match[1] else match[0], text)


def _fact(runs: list[str]) -> str:
    spelt = [text for run in runs for text in _spelt(run)]
    others = [c for run in runs for c in run if not (spelt and _byte(c) is not None)]
    kinds = [_name(character) for character in dict.fromkeys(others)]
    more = [f"{len(kinds) - _MOST_SHOWN} more kinds"] if len(kinds) > _MOST_SHOWN else []
    quoted = " ".join(spelt)
    quoted = quoted if len(quoted) <= _LONGEST else f"{quoted[:_LONGEST]}…"
    hidden = [f'a hidden text: "{quoted}"'] if spelt else []
    listed = ", ".join([*kinds[:_MOST_SHOWN], *more])
    return "; ".join([*hidden, *([f"hidden characters: {listed}"] if listed else [])])


def _spelt(run: str) -> Iterator[str]:
    """The texts that tags or variation selectors in a run stand for."""
    for has_byte, characters in groupby(run, lambda c: _byte(c) is not None):
        if has_byte:
            codes = bytes(byte for c in characters if (byte := _byte(c)) is not None)
            text = codes.decode("utf-8", "replace")
            text = "".join(c if c.isprintable() else " " for c in text).strip()
            if len(text) > 1:
                yield text


def _byte(character: str) -> int | None:
    """The byte that a tag or a variation selector is used for to hide text; None for others."""
    code = ord(character)
    if 0xE0000 <= code <= 0xE007F:
        return code - 0xE0000
    if 0xFE00 <= code <= 0xFE0F:
        return code - 0xFE00
    return code - 0xE0100 + 16 if 0xE0100 <= code <= 0xE01EF else None


def _name(character: str) -> str:
    """A character as messages show it: `U+202E right-to-left override`."""
    kind = {"Co": "private use", "Cc": "control character"}.get(unicodedata.category(character), "")
    return f"{_code(character)} {unicodedata.name(character, kind).lower()}".rstrip()


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _mark(run: str) -> str:
    if len(run) < _MOST_SHOWN:
        return "".join(f"⟨{_code(character)}⟩" for character in run)
    return f"⟨{_code(run[0])}…{_code(run[-1])}, {len(run)} hidden characters⟩"
