"""What an operation does to the world: as its method says, or as a POST that plainly reads is called."""

from typing import Final

from toolfold_runtime.contract.vocabulary import Effect

from toolfold.importing.effects import DESTROYING, READING, WRITING
from toolfold.importing.openapi.names import words_of

_READING_METHODS: Final = frozenset({"get", "head", "options", "trace", "query"})
# Words that read where a method may do anything: `POST /search/issues`.
_READING: Final = READING | {
    "query",
    "scan",
    "preview",
    "validate",
    "check",
    "estimate",
    "batchget",
}


def effect_of(method: str, name: str, summary: str) -> tuple[Effect, bool]:
    """The effect of an operation, and whether that is only a proposal."""
    if method in _READING_METHODS:
        return "read", False
    if method == "delete":
        return "destructive", False
    if method != "post":
        return "write", False
    words = words_of(name)
    named, said = set(words), set(words_of(summary)[:1])
    if named & DESTROYING and not named & (WRITING - {"batch", "bulk"}):
        return "destructive", True
    reads = named & _READING and not named & (WRITING - {"batch", "bulk"})
    if reads and not said & (WRITING | DESTROYING):
        return "read", True
    return "write", False
