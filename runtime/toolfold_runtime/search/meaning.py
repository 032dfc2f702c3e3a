"""Whether search by meaning can be had here."""

from importlib.util import find_spec


def has_meaning() -> bool:
    """Whether the extra `toolfold[semantic]` is there, without importing any of it."""
    return all(find_spec(name) is not None for name in ("wordllama", "tokenizers", "numpy"))
