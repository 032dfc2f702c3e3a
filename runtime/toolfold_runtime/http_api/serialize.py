"""Arguments as text in a path, a query, a header, a cookie or a form, by the styles of OpenAPI.

Null, an empty list and an empty object are not sent, as in RFC 6570, on which the styles are built.
A value inside that a style has no way to write is written as JSON.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from toolfold_runtime.contract.http import HttpParameter, ParameterStyle
from toolfold_runtime.http_api.errors import ArgumentError
from toolfold_runtime.jsontext import compact

Pair: TypeAlias = tuple[str, str]

#: What `allowReserved` leaves as it is: all that neither ends a query nor separates its parts.
_RESERVED: Final = ":/?@!$'()*,;"
#: What stands between the items of a list that is not exploded.
_DELIMITERS: Final[dict[ParameterStyle, str]] = {
    "spaceDelimited": "%20",
    "pipeDelimited": "%7C",
    "tabDelimited": "%09",
}
_DEEPEST: Final = 32


def query_text(parameter: HttpParameter, value: Any) -> str:
    """The part of a query that says a value, with `&` between pairs; empty where nothing is sent."""
    safe = _RESERVED if parameter.allows_reserved else ""
    if parameter.media_type is not None:
        return f"{_quoted(parameter.name)}={quote(as_media_type(parameter, value), safe)}"
    return styled_text(parameter.name, value, parameter.style, parameter.explode, safe)


def styled_text(name: str, value: Any, style: ParameterStyle, explode: bool, safe: str = "") -> str:
    """The part of a query or form that says a value in a style; empty where nothing is sent."""
    if style == "deepObject":
        return "&".join(f"{_quoted(key)}={quote(text, safe)}" for key, text in nested(name, value))
    delimiter = _DELIMITERS.get(style, ",")
    if isinstance(value, dict):
        pairs = [(_quoted(key), quote(text, safe)) for key, text in _members(value)]
        if explode:
            return "&".join(f"{key}={text}" for key, text in pairs)
        joined = delimiter.join(part for pair in pairs for part in pair)
        return f"{_quoted(name)}={joined}" if pairs else ""
    if isinstance(value, list):
        texts = [quote(text, safe) for text in _items(value)]
        if explode:
            return "&".join(f"{_quoted(name)}={text}" for text in texts)
        return f"{_quoted(name)}={delimiter.join(texts)}" if texts else ""
    return "" if value is None else f"{_quoted(name)}={quote(scalar(value), safe)}"


def nested(name: str, value: Any, depth: int = 0) -> Iterator[Pair]:
    """Name and text of every value inside, as `name[key][inner]`; neither is encoded.

    Items of a list are `name[]`, and numbered where one has parts of its own: `name[0][key]`.
    """
    if depth > _DEEPEST:
        raise ArgumentError(name[:100], f"more than {_DEEPEST} levels deep")
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from nested(f"{name}[{key}]", inner, depth + 1)
    elif isinstance(value, list):
        has_parts = any(isinstance(item, dict | list) for item in value)
        for number, item in enumerate(value):
            index = str(number) if has_parts else ""
            yield from nested(f"{name}[{index}]", item, depth + 1)
    elif value is not None:
        yield name, scalar(value)


def path_text(parameter: HttpParameter, value: Any) -> str:
    """The text of a value in a path, of which nothing but the style's own marks is left unencoded."""
    if parameter.media_type is not None:
        return _quoted(as_media_type(parameter, value))
    style, name = parameter.style, _quoted(parameter.name)
    first, between = {"label": (".", "."), "matrix": (";", ";")}.get(style, ("", ","))
    if not parameter.explode:
        between = ","
    if isinstance(value, dict):
        mark = "=" if parameter.explode else ","
        parts = [f"{_quoted(key)}{mark}{_quoted(text)}" for key, text in _members(value)]
        is_named = style == "matrix" and not parameter.explode
    else:
        items = value if isinstance(value, list) else [value]
        parts = [_quoted(text) for text in _items(items)]
        is_named = style == "matrix"
        if is_named and parameter.explode:
            return "".join(_named(name, part) for part in parts)
    if not parts:
        return ""
    joined = between.join(parts)
    return _named(name, joined) if is_named else f"{first}{joined}"


def header_text(parameter: HttpParameter, value: Any) -> str:
    """The value of a header, which is not encoded; ArgumentError where no header can hold it."""
    if parameter.media_type is not None:
        text = as_media_type(parameter, value)
    elif isinstance(value, dict):
        mark = "=" if parameter.explode else ","
        text = ",".join(f"{key}{mark}{inner}" for key, inner in _members(value))
    else:
        text = ",".join(_items(value if isinstance(value, list) else [value]))
    if not text.isascii() or not text.isprintable():
        fact = "is sent in a header, which holds printable ASCII on one line and nothing else"
        raise ArgumentError(parameter.argument, fact)
    return text.strip()


def cookie_text(parameter: HttpParameter, value: Any) -> str:
    """The pairs of a `Cookie` header that say a value; empty where nothing is sent."""
    return query_text(parameter._replace(allows_reserved=False), value).replace("&", "; ")


def as_media_type(parameter: HttpParameter, value: Any) -> str:
    """A whole value as its media type writes it: text as it is, all else as JSON."""
    kind = (parameter.media_type or "").partition(";")[0].strip().lower()
    is_json = kind.endswith(("/json", "+json"))
    return value if isinstance(value, str) and not is_json else compact(value)


def scalar(value: Any) -> str:
    """A value without parts as text; one with parts as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return compact(value)


def _members(value: Mapping[str, Any]) -> Iterator[Pair]:
    return ((key, scalar(inner)) for key, inner in value.items() if inner is not None)


def _items(value: list[Any]) -> list[str]:
    return [scalar(item) for item in value if item is not None]


def _named(name: str, text: str) -> str:
    return f";{name}={text}" if text else f";{name}"


def _quoted(text: str) -> str:
    return quote(text, "")
