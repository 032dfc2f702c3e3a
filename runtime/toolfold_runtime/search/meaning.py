"""Whether search by meaning is installed."""

from importlib.util import find_spec


def has_semantic_extra() -> bool:
    """Whether the extra `toolfold[semantic]` is installed, without importing any of it."""
    return all(find_spec(name) is not None for name in ("wordllama", "tokenizers", "numpy"))
