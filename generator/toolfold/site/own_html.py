"""Markdown that somebody wrote as HTML that only shows something, and as Markdown without HTML.

A page of the preview may call tools, so what is written in a page must not run there; and a site
fetches nothing from other hosts.
"""

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

#: Tags without attributes that add nothing but looks; comments are left out.
_HARMLESS: Final = re.compile(
    r"(<!--.*?-->)|(</?(?:br|kbd|sub|sup|details|summary) */?>)|<", re.DOTALL
)
_Replacement: TypeAlias = Callable[[re.Match[str]], str]
_HREF: Final = re.compile(r'<a href="\s*([^/?#:"]*):[^"]*"')
_SCHEMES: Final = ("http", "https", "mailto", "cursor", "vscode")
_PICTURE: Final = re.compile(r'<img src="(?:[a-z]+:)?//[^"]*" alt="([^"]*)"[^>]*>', re.IGNORECASE)


def own_html(renderer: Any, text: str) -> str:
    """The HTML of Markdown: tags in it are text, as are pictures of other hosts."""
    page: str = renderer.html(_replaced(renderer, text, _as_text))
    return _PICTURE.sub(r"\1", _HREF.sub(_known_scheme, page))


def own_markdown(renderer: Any, text: str) -> str:
    """The Markdown without tags: harmless ones are left out, others are text."""
    return _replaced(renderer, text, lambda tag: "" if tag[1] or tag[2] else "&lt;")


def _replaced(renderer: Any, text: str, replacement: _Replacement) -> str:
    # Without a tag the rest may be read differently, so that what was code may have become a tag.
    while (shown := _with_tags_replaced(renderer, text, replacement)) != text:
        text = shown
    return text


def _with_tags_replaced(renderer: Any, text: str, replacement: _Replacement) -> str:
    if "<" not in text:
        return text
    data, parts, end = text.encode(), [], 0
    for event, place in renderer.events_with_range(text):
        if event == {"Start": "HtmlBlock"} or "InlineHtml" in event:
            parts.append(data[end : place["start"]].decode())
            parts.append(_HARMLESS.sub(replacement, data[place["start"] : place["end"]].decode()))
            end = place["end"]
    return "".join([*parts, data[end:].decode()])


def _as_text(tag: re.Match[str]) -> str:
    return "" if tag[1] else tag[2] or "&lt;"


def _known_scheme(link: re.Match[str]) -> str:
    return link.group() if link[1].lower() in _SCHEMES else "<a"
