"""A fingerprint of what decides the output besides the manifest: our code and its dependencies."""

import hashlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import toolfold_runtime

from toolfold.emit.templates import templates_dir

# Those of the extra `semantic` may not be there: then a manifest that needs it is refused.
_DEPENDENCIES: Final = frozenset(
    [
        "datamodel_code_generator",
        "jinja2",
        "jsonschema_rs",
        "pydantic",
        "pydantic_core",
        "pystemmer",
        "pyyaml",
        "ruff",
        "splintr_rs",
        "numpy",
        "tokenizers",
        "wordllama",
    ]
)


@cache
def fingerprint() -> str:
    """A digest of toolfold's own files, the versions of its dependencies, and Python's."""
    generator = Path(__file__).parents[1]
    runtime = Path(toolfold_runtime.__file__).parent
    sources = [path for folder in (generator, runtime) for path in folder.rglob("*.py")]
    digest = hashlib.sha256(f"{sorted(_versions())} {sys.version}".encode())
    for path in sorted([*sources, *templates_dir().rglob("*.jinja")]):
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def _versions() -> Iterator[str]:
    """`name-version` of each dependency, by the names of the folders that installers write.

    `importlib.metadata` tells the same, at the price of a tenth of a second.
    """
    for folder in filter(os.path.isdir, sys.path):
        try:
            entries = os.listdir(folder)  # noqa: PTH208 - pathlib is slow by hundreds
        except OSError:
            continue  # nothing can be imported from there either
        for entry in entries:
            name = entry.removesuffix(".dist-info")
            if name != entry and name.partition("-")[0].lower() in _DEPENDENCIES:
                yield name
