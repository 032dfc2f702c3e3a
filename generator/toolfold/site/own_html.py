"""Markdown that somebody wrote as HTML that only shows something.

A page of the preview may call tools, so what is written in a page must not run there; and a site
fetches nothing from other hosts.
"""

import re
from typing import Any, Final

#: Tags without attributes that add nothing but looks; comments are left out.
_HARMLESS: Final = re.compile(
    r"(<!--.*?-->)|(</?(?:br|kbd|sub|sup|details|summary) */?>)|<", re.DOTALL
)
_HREF: Final = re.compile(r'<a href="\s*([^/?#:"]*):[^"]*"')
_SCHEMES: Final = ("http", "https", "mailto", "cursor", "vscode")
_PICTURE: Final = re.compile(r'<img src="(?:[a-z]+:)?//[^"]*" alt="([^"]*)"[^>]*>', re.IGNORECASE)


def own_html(renderer: Any, text: str) -> str:
    """The HTML of Markdown: tags in it are text, as are pictures of other hosts."""
    # Without a tag the rest may be read differently, so that what was code may have become a tag.
    while (shown := _without_tags(renderer, text)) != text:
        text = shown
    page: str = renderer.html(text)
    return _PICTURE.sub(r"\1", _HREF.sub(_known_scheme, page))


def _without_tags(renderer: Any, text: str) -> str:
    if "<" not in text:
        return text
    data, parts, end = text.encode(), [], 0
    for event, place in renderer.events_with_range(text):
        if event == {"Start": "HtmlBlock"} or "InlineHtml" in event:
            parts.append(data[end : place["start"]].decode())
            parts.append(_HARMLESS.sub(_as_text, data[place["start"] : place["end"]].decode()))
            end = place["end"]
    return "".join([*parts, data[end:].decode()])


def _as_text(tag: re.Match[str]) -> str:
    return "" if tag[1] else tag[2] or "&lt;"


def _known_scheme(link: re.Match[str]) -> str:
    return link.group() if link[1].lower() in _SCHEMES else "<a"
