"""What decides output besides the manifest: our own code, and the versions of what is not ours."""

import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import Final

import toolfold_runtime

from toolfold.emit.templates import templates_dir
from toolfold.memo.installed import installed

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
def code_fingerprint() -> str:
    """Everything of ours that decides what is generated, and the versions of what is not ours."""
    generator = Path(__file__).parents[1]
    runtime = Path(toolfold_runtime.__file__).parent
    sources = [path for folder in (generator, runtime) for path in folder.rglob("*.py")]
    files = [*sources, *templates_dir().rglob("*.jinja")]
    ours = b"\0".join(path.read_bytes() for path in sorted(files))
    digest = hashlib.sha256(ours).hexdigest()
    return f"{digest} {installed(_DEPENDENCIES)} {sys.version}"
