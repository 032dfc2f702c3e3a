"""Where an API is: the first address that the document names, its variables by their defaults."""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from toolfold_runtime.contract.codec import Json

from toolfold.importing.openapi.fetch import is_address

_ADDRESS: Final = re.compile(r"https?://[^\s/@]+(/[^\s]*)?")
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_VALUE: Final = re.compile(r"[A-Za-z0-9._~:/-]{1,200}")


class Location(NamedTuple):
    """The address of an API, the variables of the environment in it, and what to tell the author."""

    url: str
    #: Variable to what it holds.
    variables: dict[str, str]
    notes: tuple[str, ...] = ()


def location_of(servers: list[Any], source: str, server: str) -> Location:
    """Where an API is; what the document does not say is left to a variable of the environment.

    A variable of an address has the default that the document gives it, or a value of its `enum`.
    """
    prefix = re.sub(r"[^A-Z0-9]+", "_", server.upper()).strip("_") or "API"
    for entry in sorted(servers, key=_is_worse(servers)):
        if isinstance(entry, dict) and isinstance(entry.get("url"), str):
            found = _location(entry, source, prefix)
            if found is not None:
                return _with_others(found, entry, servers)
    host = f"{prefix}_HOST"
    note = (
        "the document does not say where the API is: set `url:` under the server, or the variable"
    )
    return Location(f"https://${{{host}}}", {host: "the host of the API"}, (note,))


def _is_worse(servers: list[Any]) -> Callable[[Any], bool]:
    """Whether an address is one that the document also gives with https."""
    urls = {entry["url"] for entry in servers if isinstance(entry, dict) and _has_url(entry)}

    def is_worse(entry: Any) -> bool:
        url = entry["url"] if isinstance(entry, dict) and _has_url(entry) else ""
        return url.startswith("http://") and f"https://{url.removeprefix('http://')}" in urls

    return is_worse


def _has_url(entry: Json) -> bool:
    return isinstance(entry.get("url"), str)


def _location(entry: Json, source: str, prefix: str) -> Location | None:
    variables: dict[str, str] = {}
    notes: list[str] = []
    declared = entry.get("variables")
    declared = declared if isinstance(declared, dict) else {}

    def value(match: re.Match[str]) -> str:
        name = match[1]
        declaration = declared.get(name)
        chosen = _chosen(declaration if isinstance(declaration, dict) else {})
        if chosen is None:
            variable = f"{prefix}_{re.sub(r'[^A-Z0-9]+', '_', name.upper())}"
            variables[variable] = f"the {name} in the address of the API"
            return f"${{{variable}}}"
        notes.append(f"{{{name}}} in the address is {chosen}; set `url:` for another one")
        return chosen

    url = _BRACES.sub(value, entry["url"].strip()).split("?")[0].split("#")[0].rstrip("/")
    if url.startswith("//") and not is_address(source):
        url = f"https:{url}"
    if not urlsplit(url.replace("${", "").replace("}", "")).scheme:
        if is_address(source):
            url = urljoin(source, url or "/").rstrip("/")
        else:
            host = f"{prefix}_HOST"
            variables[host] = "the host of the API"
            notes.append(f'the document names no host, only "{url or "/"}"')
            url = f"https://${{{host}}}/{url.strip('/')}".rstrip("/")
    plain = url.replace("${", "").replace("}", "")
    return Location(url, variables, tuple(notes)) if _ADDRESS.fullmatch(plain) else None


def _chosen(variable: Json) -> str | None:
    """The value of a variable of an address, if the document gives one that an address can hold."""
    values = variable.get("enum")
    candidates = [variable.get("default"), *(values if isinstance(values, list) else ())]
    texts = (str(candidate) for candidate in candidates if isinstance(candidate, str | int))
    return next((text for text in texts if _VALUE.fullmatch(text)), None)


def _with_others(found: Location, chosen: Json, servers: list[Any]) -> Location:
    others = [
        entry["url"][:100]
        for entry in servers
        if isinstance(entry, dict) and _has_url(entry) and entry["url"] != chosen["url"]
    ][:3]
    if not others:
        return found
    note = f"the document names other addresses too: {', '.join(others)}"
    return found._replace(notes=(*found.notes, note))
