"""Texts as vectors, by the table of word pieces that the wordllama package holds.

The package itself is never imported: a query needs a few rows of its table and its tokenizer.
Sums are of whole numbers, so that every machine gets the same vectors.
"""

import json
import re
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

#: Of a vector.
DIMENSIONS: Final = 256

_TABLE: Final = "weights/l2_supercat_256.safetensors"
_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_STEPS: Final = 1024  # the table's numbers are held to this fraction
_SEPARATORS: Final = re.compile(
    r"[_\-./\x00-\x1f\x7f]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
)
_LONGEST: Final = 8000  # characters


class Embedder:
    """Makes the vector of a text: the sum of its word pieces' vectors, at unit length."""

    def units(self, texts: Sequence[str]) -> Doubles:
        """One vector of length one per text; of length zero for an empty one."""
        sums = np.zeros((len(texts), DIMENSIONS), np.int64)
        for row, text in zip(sums, texts, strict=True):
            pieces = self._pieces(text)
            if pieces:
                row += (
                    np.rint(self._table[pieces].astype(np.float64) * _STEPS).astype(np.int64).sum(0)
                )
        lengths = np.sqrt((sums * sums).sum(1).astype(np.float64))
        units: Doubles = sums / np.maximum(lengths, 1.0)[:, None]
        return units

    def _pieces(self, text: str) -> list[int]:
        # Half of a surrogate pair cannot be encoded.
        encodable = text[:_LONGEST].encode("utf-8", "replace").decode()
        cleaned = _SEPARATORS.sub(" ", encodable).lower()
        # One by one: a batch would start threads.
        pieces: list[int] = self._tokenizer.encode(cleaned, add_special_tokens=False).ids
        return pieces

    @cached_property
    def _home(self) -> Path:
        spec = find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise ModuleNotFoundError("wordllama is not installed", name="wordllama")
        return Path(spec.submodule_search_locations[0])

    @cached_property
    def _table(self) -> NDArray[np.float16]:
        path = self._home / _TABLE
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            entry = json.loads(file.read(size))["embedding.weight"]
        start = 8 + size + entry["data_offsets"][0]
        return np.memmap(path, np.dtype("<f2"), "r", start, tuple(entry["shape"]))

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._home / _TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer


def to_bytes(vectors: Doubles) -> NDArray[np.int8]:
    """Vectors in a byte per dimension; only their directions are kept."""
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    codes: NDArray[np.int8] = np.rint(vectors / largest * 127).astype(np.int8)
    return codes


def from_bytes(codes: NDArray[np.int8]) -> Floats:
    """The vectors at length one, from their bytes."""
    floats = codes.astype(np.float32)
    units: Floats = floats / np.maximum(np.linalg.norm(floats, axis=1, keepdims=True), 1e-9)
    return units
