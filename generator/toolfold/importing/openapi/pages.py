"""How a list is read on: recognised by the names of parameters and of properties of the answer."""

from collections.abc import Iterable, Mapping
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.importing.openapi.names import words_of
from toolfold.importing.openapi.schemas import Schemas

# Names without what separates their words; the more certain ones first.
_CURSORS: Final = (
    *("cursor", "nextcursor", "pagetoken", "nextpagetoken", "nexttoken", "continuationtoken"),
    *("startingafter", "exclusivestartkey", "continue", "marker", "startingtoken"),
    *("paginationtoken", "after", "pagecursor", "starttoken"),
)
_PAGES: Final = ("page", "pagenumber", "pageno", "pagenum", "pageindex")
_OFFSETS: Final = ("offset", "startat", "skip", "startindex", "start")
_NEXT: Final = (
    *("nextcursor", "nextpagetoken", "nexttoken", "nextpage", "nextmarker", "continuationtoken"),
    *("lastevaluatedkey", "lastevaluatedtablename", "nextpagecursor", "paginationtoken", "cursor"),
    *("continue", "endcursor", "lastid", "pagetoken"),
)
_ADDRESSES: Final = ("nextpageuri", "next", "nexturl", "nextlink", "nextpageurl")
_WRAPPERS: Final = (
    *("responsemetadata", "meta", "metadata", "pagination", "paging", "pageinfo", "pages", "links"),
)
_MORE: Final = ("hasmore", "hasnextpage", "truncated", "istruncated", "incompleteresults")


def pages_of(
    arguments: Mapping[str, str], headers: Iterable[str], answer: object, schemas: Schemas
) -> Json | None:
    """The `pages:` of an operation; None where its answer is not split into pages.

    `arguments` are those of its query or body, each with what the API calls it.
    """
    names = {_folded(name): argument for argument, name in arguments.items()}
    properties = schemas.properties_of(answer)
    items = _items(answer, properties, schemas)
    found = _found(properties, _NEXT, schemas)
    for known in _CURSORS:
        if known in names and (found or known != "after" or _is_last_item(known)):
            pages = {"style": "cursor", "argument": names[known], "next": found, **items}
            if not found and _is_last_item(known) and items.get("items"):
                # The cursor is the last item's own id.
                return {**pages, "next": f"{items['items']}.-1.id", **_more(properties, schemas)}
            if found:
                return _without_nothing({**pages, **_more(properties, schemas)})
    for style, words in (("page", _PAGES), ("offset", _OFFSETS)):
        for known in words:
            if known in names:
                pages = {"style": style, "argument": names[known], **items}
                return _without_nothing({**pages, **_more(properties, schemas)})
    if any(header.lower() == "link" for header in headers):
        return {"style": "link"}
    address = _found(properties, _ADDRESSES, schemas)
    return {"style": "link", "next": address, **items} if address else None


def _is_last_item(known: str) -> bool:
    return known == "startingafter"


def _folded(name: str) -> str:
    return "".join(words_of(name))


def _found(properties: Json, words: tuple[str, ...], schemas: Schemas) -> str:
    """Where one of these properties is, also within what wraps it: `meta.next_cursor`."""
    folded = {_folded(name): name for name in reversed(properties)}
    for word in words:
        if word in folded:
            return folded[word]
    for wrapper in _WRAPPERS:
        if wrapper in folded:
            inner = schemas.properties_of(properties[folded[wrapper]])
            below = {_folded(name): name for name in reversed(inner)}
            for word in words:
                if word in below:
                    return f"{folded[wrapper]}.{below[word]}"
    return ""


def _items(answer: object, properties: Json, schemas: Schemas) -> Json:
    """Where the list is; empty if the answer itself is the list, or not exactly one property is."""
    if schemas.target_of(answer).get("type") == "array":
        return {}
    lists = [
        n for n, schema in properties.items() if schemas.target_of(schema).get("type") == "array"
    ]
    if "data" in lists:
        return {"items": "data"}
    return {"items": lists[0]} if len(lists) == 1 else {}


def _more(properties: Json, schemas: Schemas) -> Json:
    more = _found(properties, _MORE, schemas)
    return {"more": more} if more else {}


def _without_nothing(pages: Json) -> Json:
    return {key: value for key, value in pages.items() if value}
