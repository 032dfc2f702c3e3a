"""Names of operations as tools: what the document calls them, in words, after the server's name."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from toolfold.importing.openapi.texts import without_accents
from toolfold.plan.disclosure.meta_tools import default_meta_names
from toolfold.plan.names.identifiers import tool_keys

_LONGEST: Final = 64
_DIGEST: Final = 6
_LONGEST_ID: Final = 400
_LEGAL: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


class Named(NamedTuple):
    """What an operation is called in its document."""

    method: str
    path: str
    #: Its `operationId`; empty where it has none that is free.
    operation_id: str

    @property
    def line(self) -> str:
        """Its method and path, on one line."""
        return " ".join(f"{self.method} {self.path}".split())

    @property
    def unique_id(self) -> str:
        """What identifies it among the operations of the document, on one line."""
        name = " ".join(self.operation_id.split()) or self.line
        return name if len(name) <= _LONGEST_ID - 80 else _shortened(name, _LONGEST_ID - 80)


def words_of(text: str) -> list[str]:
    """The words of a name in lower case: those of `listOpenIssues` and `issues/list-open` alike."""
    return [word.lower() for word in _WORD.findall(without_accents(text))]


def slug_of(text: str) -> str:
    """The words of a text between underscores."""
    return "_".join(words_of(text))


def operation_names(
    operations: Sequence[Named],
    server: str,
    before: Mapping[str, str] = MappingProxyType({}),
    others: Iterable[str] = (),
) -> dict[str, str]:
    """A tool's name for each operation, by what the document calls it.

    The name that it had `before`, else the words of its own name after the server's; one that is
    long or taken gets a digest, which depends on nothing but the operation.
    """
    taken = {key for name in (*default_meta_names(), *others) for key in tool_keys(name)}
    names: dict[str, str] = {}
    for operation in operations:
        known = before.get(operation.unique_id, "")
        if _LEGAL.fullmatch(known) and taken.isdisjoint(tool_keys(known)):
            names[operation.unique_id] = known
            taken.update(tool_keys(known))
    for operation in operations:
        if operation.unique_id not in names:
            base = _base_name(operation, server)
            name = base if len(base) <= _LONGEST else _shortened(base, _LONGEST)
            if not taken.isdisjoint(tool_keys(name)):
                name = _marked(base, f"{operation.method} {operation.path}", _LONGEST)
            names[operation.unique_id] = name
            taken.update(tool_keys(name))
    return names


def _base_name(operation: Named, server: str) -> str:
    prefix, words = words_of(server) or ["api"], words_of(operation.operation_id)
    if not words:
        path = _BRACES.sub(lambda match: f"by {match[1]}", operation.path)
        words = [operation.method.lower(), *words_of(path)]
    if words[: len(prefix)] == prefix and len(words) > len(prefix):
        words = words[len(prefix) :]
    return "_".join([*prefix, *words])


def _shortened(text: str, longest: int) -> str:
    return _marked(text, text, longest)


def _marked(text: str, whole: str, longest: int) -> str:
    """The beginning of a text, and a digest of the whole."""
    digest = hashlib.sha256(whole.encode()).hexdigest()[:_DIGEST]
    return f"{text[: longest - _DIGEST - 1].rstrip('_')}_{digest}"
