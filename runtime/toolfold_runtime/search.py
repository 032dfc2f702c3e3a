"""Finding tools by name and words, and the answer an agent gets."""

import re
from collections.abc import Mapping
from typing import Any, Final

_WORD: Final = re.compile(r"[^\W_]+")
_MOST: Final = 50


def answer(query: str, limit: int, lines: Mapping[str, str], server: Mapping[str, Any]) -> str:
    """Hits as one line each, best first, then the next step; an empty answer says what to try."""
    hits = ranked(query, lines)[: max(1, min(limit, _MOST))]
    schema = server["inventory"].get("schema", "")
    if hits:
        following = [f"next: {schema}(tool)"] if schema else []
        return "\n".join([*(lines[name] for name in hits), *following])
    inventory = server["inventory"].get("capabilities", "")
    way_out = f" Try other words, or {inventory}() for the inventory." if inventory else ""
    return f"no tool matches {query[:100]!r}.{way_out}"


def ranked(query: str, lines: Mapping[str, str]) -> list[str]:
    """Names by how well they match: the exact name, a prefix of it, words; ties by name."""
    asked = query.strip().lower()
    words = set(_WORD.findall(asked))
    scored = []
    for name, line in lines.items():
        score = _score(asked, words, name.lower(), line.lower())
        if score:
            scored.append((-score, name))
    return [name for _, name in sorted(scored)]


def _score(asked: str, words: set[str], name: str, line: str) -> float:
    if not asked:
        return 0.0
    if asked == name:
        return 1000.0
    prefix = 100.0 if name.startswith(asked) else 0.0
    in_name = len(words & set(_WORD.findall(name)))
    in_line = len(words & set(_WORD.findall(line)))
    return prefix + 3.0 * in_name + in_line
