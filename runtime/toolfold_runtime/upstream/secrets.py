"""`${VARIABLE}` in what a manifest says about a server: expanded when it is used, never written anywhere."""

import os
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, quote_plus

from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.jsontext import compact

#: The shortest value that is masked: shorter ones occur in other texts by chance.
_SHORTEST_SECRET: Final = 8
# What every program is told anyway.
_PUBLIC: Final = frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})
#: The characters allowed in a cookie's value (RFC 6265, 4.1.1); all others are encoded.
COOKIE_OCTETS: Final = "!#$&'()*+/:<=>?@[]^`{|}%"
_ENCODED: Final = re.compile(r"%[0-9A-F]{2}")
_PLACEHOLDER: Final = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class MissingVariableError(Exception):
    """Environment variables that a server needs are not set; the text names them all."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        plural = "s" if len(names) > 1 else ""
        are = "are" if plural else "is"
        super().__init__(f"the environment variable{plural} {', '.join(names)} {are} not set")


def literal(text: str) -> str:
    """The text that expands to this one, whatever it holds."""
    return text.replace("${", "$${")


def expand(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """The text with the values of its variables; MissingVariableError where one is not set."""
    missing = [name for name in variables_in(text) if name not in environment]
    if missing:
        raise MissingVariableError(missing)
    return _PLACEHOLDER.sub(lambda match: environment[match[1]] if match[1] else "${", text)


def pieces(text: str) -> list[tuple[str, str]]:
    """The pieces of a text: pairs of literal text and the name of a variable, one of them empty."""
    pairs: list[tuple[str, str]] = []
    end = 0
    for match in _PLACEHOLDER.finditer(text):
        pairs.append((text[end : match.start()] + ("" if match[1] else "${"), ""))
        pairs += [("", match[1])] if match[1] else []
        end = match.end()
    pairs.append((text[end:], ""))
    return [pair for pair in pairs if any(pair)]


def variables_in(*texts: str) -> list[str]:
    """The names of the variables in texts, each once, in order."""
    names = (match[1] for text in texts for match in _PLACEHOLDER.finditer(text))
    return list(dict.fromkeys(name for name in names if name))


def require_variables(server: UpstreamServer, environment: Mapping[str, str] = os.environ) -> None:
    """MissingVariableError that names all variables of a server that are not set."""
    missing = [name for name in variables_in(*_texts(server)) if name not in environment]
    if missing:
        raise MissingVariableError(missing)


class Mask:
    """Replaces a server's secrets in texts that others wrote.

    Servers repeat what they were sent, in errors and on their standard error: those are read by
    agents and in logs. In the place of a value stands the name of its variable.
    """

    def __init__(self, server: UpstreamServer, environment: Mapping[str, str] = os.environ) -> None:
        self._texts: dict[str, tuple[str, ...]] = {}
        for name in variables_in(*_texts(server)):
            if name not in _PUBLIC:
                self.add(f"${{{name}}}", environment.get(name, ""))

    def add(self, name: str, value: str) -> None:
        """Mask another value, in the place of an earlier one of that name."""
        # A file's last newline is often part of the value, and a server repeats it without.
        value = value.strip()
        if len(value) >= _SHORTEST_SECRET:
            self._texts[name] = tuple(_ways_to_write(value))

    def __call__(self, text: str) -> str:
        """The text without the values, also where they are written as in an address or in JSON."""
        # Longer ones first: one may hold another.
        for name, written in sorted(self._texts.items(), key=lambda item: -len(item[1][0])):
            for way in written:
                text = text.replace(way, name)
        return text


def _ways_to_write(value: str) -> dict[str, None]:
    """A value as it is, and as it is encoded in addresses, forms, cookies and JSON."""
    in_json = compact(value)[1:-1]
    encoded = [quote(value, ""), quote(value), quote_plus(value), quote(value, COOKIE_OCTETS)]
    lower = [_ENCODED.sub(lambda match: match[0].lower(), way) for way in encoded]
    return dict.fromkeys([value, in_json, in_json.replace("/", "\\/"), *encoded, *lower])


def _texts(value: object) -> list[str]:
    """Every text within a value, at every depth."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return [text for item in inner for text in _texts(item)]
