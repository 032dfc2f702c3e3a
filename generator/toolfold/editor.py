"""The manifest's schema where editors look for it: beside the cache, never committed."""

import contextlib
import json
from pathlib import Path

from toolfold.emit.cache import cache_folder
from toolfold.manifest.json_schema import manifest_schema


def write_editor_schema(folder: Path) -> None:
    """Put the schema where `init`'s first line points to; a comfort, so never an error."""
    text = json.dumps(manifest_schema(), indent=2) + "\n"
    with contextlib.suppress(OSError):
        path = cache_folder(folder) / "manifest.schema.json"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
