"""How a list is read on: with which argument the next page is asked for."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.http import HttpOperation, HttpPages
from toolfold_runtime.jsontext import compact

_LINK: Final = re.compile(r"<([^<>]{0,4000})>([^<]{0,1000})")
_NEXT: Final = re.compile(
    r""";\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|'?next'?\s*(?:[;,]|$))""", re.IGNORECASE
)
_INDEX: Final = re.compile(r"-?[0-9]{1,6}")
_LONGEST: Final = 4_000
_LONGEST_HEADER: Final = 20_000
_MOST_DIGITS: Final = 16


def following_page(
    operation: HttpOperation,
    properties: Json,
    arguments: Json,
    value: Any,
    headers: Mapping[str, str],
) -> str:
    """The note that says how to go on; empty where there is no more, or nobody can tell.

    `properties` are the schemas of the arguments.
    """
    pages = operation.pages
    if pages is None:
        return ""
    change, is_certain = _change(pages, operation, properties, arguments, value, headers)
    change = {
        key: declared
        for key, changed in change.items()
        # An API that names the page that was asked for goes round in a circle.
        if (declared := _as_declared(changed, properties.get(key))) != arguments.get(key)
    }
    written = compact(change)
    if not change or len(written) > _LONGEST:
        return ""
    return f"{'There is' if is_certain else 'There may be'} more: call it again with {written}"


def _change(
    pages: HttpPages,
    operation: HttpOperation,
    properties: Json,
    arguments: Json,
    value: Any,
    headers: Mapping[str, str],
) -> tuple[Json, bool]:
    """The arguments that ask for the next page, and whether there certainly is one."""
    if pages.more and not at(value, pages.more):
        return {}, True
    linked = headers.get("link", "")
    if change := _from_address(operation, _next_link(linked)):
        return change, True
    if pages.style == "cursor" or pages.next:
        return _by_cursor(pages, operation, value), True
    items = _items(value, pages.items)
    # A header that names other pages and no next one says that this is the last.
    if not items or linked or not pages.argument:
        return {}, True
    step = 1 if pages.style == "page" else len(items)
    before = _number(arguments.get(pages.argument))
    if before is None:
        schema = properties.get(pages.argument)
        before = _number(schema.get("default") if isinstance(schema, dict) else None)
    if before is None:
        before = 1 if pages.style == "page" else 0
    return {pages.argument: before + step}, bool(pages.more)


def _by_cursor(pages: HttpPages, operation: HttpOperation, value: Any) -> Json:
    """The cursor that the answer has, or the arguments in the address that stands in its place."""
    cursor = at(value, pages.next) if pages.next else None
    if cursor in (None, "", False) or not isinstance(cursor, str | int):
        return {}
    if isinstance(cursor, str) and "?" in cursor:
        return _from_address(operation, cursor)
    return {pages.argument: cursor} if pages.argument else {}


def _next_link(header: str) -> str:
    """The address of the next page in a `Link` header; empty where there is none."""
    for address, parameters in _LINK.findall(header[:_LONGEST_HEADER]):
        if _NEXT.search(parameters):
            return str(address)
    return ""


def _from_address(operation: HttpOperation, address: str) -> Json:
    """The arguments that the query of an address stands for."""
    try:
        pairs = dict(parse_qsl(urlsplit(address).query, max_num_fields=200))
    except ValueError:
        return {}
    arguments_by_name = {
        parameter.name: parameter.argument
        for parameter in operation.parameters
        if parameter.place == "query"
    }
    return {
        arguments_by_name[name]: text for name, text in pairs.items() if name in arguments_by_name
    }


def _as_declared(value: Any, schema: Any) -> Any:
    """A value as the type that its argument is declared to have: APIs give numbers as text, and text as numbers."""
    declared = schema.get("type") if isinstance(schema, dict) else None
    types = declared if isinstance(declared, list) else [declared]
    if isinstance(value, str) and "string" not in types:
        is_number = value.isascii() and value.isdigit() and len(value) < _MOST_DIGITS
        if is_number and {"integer", "number"} & {*types}:
            return int(value)
        return {"true": True, "false": False}.get(value, value) if "boolean" in types else value
    if isinstance(value, int) and types == ["string"]:
        return str(value)
    return value


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _items(value: Any, path: str) -> list[Any]:
    """The items of a page: where the path leads, else the answer, else its only list."""
    found = at(value, path) if path else value
    if isinstance(found, list):
        return found
    if path or not isinstance(found, dict):
        return []
    lists = [member for member in found.values() if isinstance(member, list)]
    return lists[0] if len(lists) == 1 else []


def at(value: Any, path: str) -> Any:
    """What a dotted path leads to, such as `data.-1.id`; None where it leads nowhere."""
    for step in path.split("."):
        if isinstance(value, list) and _INDEX.fullmatch(step):
            index = int(step)
            value = value[index] if -len(value) <= index < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value
