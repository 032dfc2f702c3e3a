"""What decides output besides the manifest: our own code, and the versions of what is not ours."""

import hashlib
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import toolfold_runtime

from toolfold.emit.templates import templates_dir

_DEPENDENCIES: Final = (
    "datamodel-code-generator",
    "jinja2",
    "jsonschema-rs",
    "pydantic",
    "pystemmer",
    "pyyaml",
    "ruff",
    "splintr-rs",
)
# Of the extra `semantic`, which may not be there: then a manifest that needs it is refused.
_OPTIONAL: Final = ("numpy", "tokenizers", "wordllama")


@cache
def code_fingerprint() -> str:
    """Everything of ours that decides what is generated, and the versions of what is not ours."""
    generator = Path(__file__).parent
    runtime = Path(toolfold_runtime.__file__).parent
    sources = [path for folder in (generator, runtime) for path in folder.rglob("*.py")]
    files = [*sources, *templates_dir().rglob("*.jinja")]
    ours = b"\0".join(path.read_bytes() for path in sorted(files))
    versions = " ".join(version(name) for name in _DEPENDENCIES)
    optional = " ".join(_version_if_any(name) for name in _OPTIONAL)
    return f"{hashlib.sha256(ours).hexdigest()} {versions} {optional} {sys.version}"


def _version_if_any(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
