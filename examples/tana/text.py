"""Text split into words, turned into full-text queries, and shown as excerpts."""

import re
import unicodedata
from collections.abc import Sequence

from .errors import WorkspaceError, quoted

_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 16


def words(text: str) -> list[str]:
    """Cut a text into its words, in order, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return _WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))


def query_words(query: str) -> list[str]:
    """Cut a search request into words; a WorkspaceError when there are none."""
    terms = list(dict.fromkeys(words(query)))[:_MOST_WORDS]
    if not terms:
        raise WorkspaceError(
            f"query {quoted(query)} has no letters or digits; give a word to look for"
        )
    return terms


def match_expression(terms: Sequence[str], operator: str) -> str:
    """Write an FTS5 query for terms joined by AND or OR."""
    # Quoted one by one, because FTS5 reads bare input as its query language.
    return f" {operator} ".join('"' + term.replace('"', '""') + '"' for term in terms)


def excerpt(text: str, terms: Sequence[str], width: int = 120) -> str:
    """Return the part of a text around the first of the terms, or its beginning."""
    flat = " ".join(text.split())
    lowered = flat.casefold()
    starts = [at for term in terms if (at := lowered.find(term)) >= 0]
    start = max(0, min(starts, default=0) - width // 3)
    if len(flat) <= width:
        return flat
    end = start + width
    return ("…" if start else "") + flat[start:end].strip() + ("…" if end < len(flat) else "")
