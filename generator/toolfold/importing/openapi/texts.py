"""Prose of documents as prose of a manifest: without HTML, in bounds."""

import html
import re
import unicodedata
from typing import Final

_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,2000}>|<!--.{0,2000}?-->", re.DOTALL)
_BLOCK: Final = re.compile(r"</?(?:p|br|div|ul|ol|li|h[1-6]|tr|table|pre)\b[^<>]*>", re.IGNORECASE)
_LINK: Final = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,2000}(?: \"[^\"]{0,200}\")?\)")
_SPACES: Final = re.compile(r"[ \t\f\v\xa0]+")
_LINES: Final = re.compile(r"\s*\n\s*\n\s*")
_END: Final = re.compile(r"[.!?](?=\s)")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LONGEST: Final = 100_000


def plain_text(text: object) -> str:
    """A text without HTML tags and control characters; empty where it is none."""
    if not isinstance(text, str):
        return ""
    text = _CONTROL.sub(" ", text[:_LONGEST].replace("\r\n", "\n"))
    if "<" in text:
        text = _TAG.sub("", _BLOCK.sub("\n", text))
    if "&" in text:
        text = html.unescape(text)
    return _LINES.sub("\n\n", _SPACES.sub(" ", text)).strip()


def without_links(text: str) -> str:
    """A text whose links are their words alone: agents pay for addresses, and follow none."""
    return _LINK.sub(r"\1", text)


def without_accents(text: str) -> str:
    """A text with the letters of ASCII that its letters are made of: `Größe` is `Grosse`."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def line_of(text: object, longest: int) -> str:
    """A text on one line, of at most so many characters."""
    return cut_text(" ".join(plain_text(text).split()), longest)


def cut_text(text: str, longest: int) -> str:
    """The first sentences of a text that fit, else its first words; what is cut is marked."""
    if len(text) <= longest:
        return text
    ends = [match.end() for match in _END.finditer(text, 0, longest)]
    if ends and ends[-1] > longest // 2:
        return text[: ends[-1]].rstrip()
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:.\n") + "…"
