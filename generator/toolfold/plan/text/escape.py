"""The injection boundary: the only functions that put a manifest's text into code, Markdown or URLs.

Code escapes hidden characters, and documents show a mark in their place.
"""

import html
import json
import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from pydantic_core import to_json
from toolfold_runtime.hidden import HIDDEN

from toolfold.manifest.hidden import with_escapes, with_marks

# What CommonMark and Python-Markdown, with the extensions of documentation sites, would read as
# markup. Entities are text to all of them; a backslash escapes only some of these for each.
_MARKUP: Final = {c: f"&#{ord(c)};" for c in "\\`*{}[]<>|&~^=$@"} | {"<": "&lt;", "&": "&amp;"}
_TRANSLATION: Final = str.maketrans(_MARKUP)
# Those that nobody sees, and all that is white but for the space.
_HIDDEN: Final = re.compile(
    f"[{HIDDEN}\x00-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ud800-\udfff\ufff0-\uffff]"
)
_EDGE_UNDERSCORE: Final = re.compile(r"(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])|__+")
_LINE_START: Final = re.compile(r"^(\s*)([#+\-!:.\"=/%;_]|\d+[.)])")
_HASHES_AT_END: Final = re.compile(r"#+$")
_AUTOLINK: Final = re.compile(r"(?<=[A-Za-z])(:)(?=//)|\b(www)\.", re.IGNORECASE)
_SHORT_LINE: Final = 64
_DOCSTRING_LINE: Final = 88
_CACHE_SIZE: Final = 4096  # the same types, names and words come again and again
# Made once: `json.dumps` makes an encoder for every call with settings of its own.
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_BLANK: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_NOT_ONE_LINE: Final = re.compile(r"[^\S ]|  |^ | \Z|[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def python_literal(value: object) -> str:
    """Python source of a str, int, float, bool or None; TypeError for anything else."""
    if isinstance(value, str):
        is_hidden = has_hidden(value.replace("\n", ""))
        return ascii(value) if is_hidden else _quoted(value).replace("\n", "\\n")
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    raise TypeError(f"no literal for {type(value).__name__}")


def docstring(text: str) -> str:
    """A one-line docstring: triple-quoted where the text allows, an escaped literal otherwise."""
    line = one_line(text)
    if line and not has_hidden(line) and not set(line) & {'"', "\\"}:
        return f'"""{line}"""'
    return python_literal(line)


def docstring_block(text: str) -> str:
    """A docstring, on one line where it fits: triple-quoted where the text allows, else a literal."""
    if "\n" not in text and len(text) <= _DOCSTRING_LINE:
        return docstring(text)
    if has_hidden(text.replace("\n", "")) or '"""' in text or "\\" in text:
        return python_literal(text)
    indented = "\n".join(f"    {line.strip()}".rstrip() for line in text.split("\n"))
    return f'"""\n{indented}\n    """'


def has_hidden(text: str) -> bool:
    """Whether the text holds characters that are invisible or reorder others."""
    return _HIDDEN.search(text) is not None


def without_hidden(text: str) -> str:
    """The text with a space for every character that is invisible or reorders others."""
    return _HIDDEN.sub(" ", text)


def one_line(text: str) -> str:
    """The text with every run of white space and control characters as one space."""
    # Most texts are one line already; looking is cheaper than building them anew.
    return _BLANK.sub(" ", text).strip() if _NOT_ONE_LINE.search(text) else text


@lru_cache(_CACHE_SIZE)
def markdown(text: str) -> str:
    """One line of Markdown that shows `text` as text, whatever it contains."""
    return _escaped_line(with_marks(one_line(text)))


def markdown_block(text: str) -> str:
    """Paragraphs of Markdown that show `text` as text; line ends are kept as breaks."""
    paragraphs = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    escaped = []
    for paragraph in paragraphs:
        lines = [with_marks(line) for part in paragraph.split("\n") if (line := one_line(part))]
        if lines:
            escaped.append("  \n".join(map(_escaped_line, lines)))
    return "\n\n".join(escaped)


@lru_cache(_CACHE_SIZE)
def markdown_code(text: str) -> str:
    """A code span that shows `text`, also in a table cell."""
    line = with_marks(one_line(text))
    if re.search(r"[`|\\]", line) or not line:
        return f"<code>{_escaped_text(line)}</code>"
    return f"`{line}`"


def html_text(text: str) -> str:
    """Text for an HTML or SVG element, and for titles that themes put into HTML as they are."""
    return html.escape(with_marks(one_line(text)))


def python_value(value: object, deep: int | None = None) -> str:
    """Python source of plain data: on one line, or a line per item, indented by `deep` levels."""
    if not value or not isinstance(value, dict | list):
        return _double_quoted(value) if isinstance(value, str) else _literal_or_empty(value)
    inner = None if deep is None else deep + 1
    if isinstance(value, dict):
        items = [f"{python_value(str(k))}: {python_value(v, inner)}" for k, v in value.items()]
        opening, closing = "{}"
    else:
        items = [python_value(item, inner) for item in value]
        opening, closing = "[]"
    line = f"{opening}{', '.join(items)}{closing}"
    if deep is None or (deep > 1 and len(line) <= _SHORT_LINE and "\n" not in line):
        return line
    indent = "    " * (deep + 1)
    lines = "".join(f"{indent}{item},\n" for item in items)
    return f"{opening}\n{lines}{'    ' * deep}{closing}"


def _double_quoted(text: str) -> str:
    """A literal in double quotes where that needs no further escape, as formatters write it."""
    literal = python_literal(text)
    is_plain = literal.startswith("'") and '"' not in literal and "\\'" not in literal
    return f'"{literal[1:-1]}"' if is_plain else literal


def _literal_or_empty(value: object) -> str:
    return {"dict": "{}", "list": "[]"}.get(type(value).__name__) or python_literal(value)


def markdown_fence(text: str, language: str) -> str:
    """A fenced block around `text` that the text cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    shown = with_escapes(text) if language == "json" else with_marks(text)
    return f"{fence}{language}\n{shown}\n{fence}"


def hidden_escaped(text: str) -> str:
    """JSON, or code that has its strings, with hidden characters as escapes."""
    return with_escapes(text)


def json_text(value: object, *, indent: int | None = None) -> str:
    """JSON as agents read it: compact by default, keys in their order, text as it is."""
    if indent is not None:
        # The standard library indents in Python, ten times slower.
        return to_json(value, indent=indent).decode()
    return _COMPACT.encode(value)


def url(address: str) -> str:
    """An address as the target of a Markdown link; the manifest allows only harmless schemes."""
    return quote(address, safe=":/?#@!$&'*+,;=%~-._").replace("&", "&amp;")


def _quoted(text: str) -> str:
    """`repr` of text without hidden characters, the same under every Python."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return repr(text) if repr(text)[1:-1] == text else f"'{escaped}'"


def _escaped_line(line: str) -> str:
    line = _LINE_START.sub(_escaped_start, _escaped_text(line))
    if not line.endswith("#"):
        return line
    # A heading would take hashes at its end for its own closing marks.
    return _HASHES_AT_END.sub(lambda m: "&#35;" * len(m.group()), line)


def _escaped_text(line: str) -> str:
    line = line.translate(_TRANSLATION)
    if "_" in line:
        line = _EDGE_UNDERSCORE.sub(lambda m: "&#95;" * len(m.group()), line)
    if "://" not in line and "www." not in line.lower():
        return line
    return _AUTOLINK.sub(lambda m: "&#58;" if m.group(1) else f"{m.group(2)}&#46;", line)


def _escaped_start(match: re.Match[str]) -> str:
    mark = match.group(2)
    return f"{match.group(1)}{mark[:-1]}&#{ord(mark[-1])};"
