"""The manifest's schema where editors look for it: beside the cache, never committed."""

import contextlib
import json
from pathlib import Path

from toolfold.memo.fingerprint import code_fingerprint
from toolfold.memo.store import Cache, cache_folder


def write_editor_schema(folder: Path, store: Cache) -> None:
    """Put the schema where `init`'s first line points to; a comfort, so never an error."""
    key = f"editor {code_fingerprint()}"
    known = store.get([key])
    text = known[key] if known else _schema_text()
    with contextlib.suppress(OSError):
        path = cache_folder(folder) / "manifest.schema.json"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    store.put({} if known else {key: text})


def _schema_text() -> str:
    from toolfold.manifest.editor_schema import manifest_schema

    return json.dumps(manifest_schema(), indent=2) + "\n"
