"""Small manifests about names, and what is said of those that are refused."""

from pathlib import Path
from typing import Any

import pytest
from toolfold.errors import ManifestError

from tests.security.material import Json, compiled


def manifest_of(tools: dict[str, Json], **more: Any) -> Json:
    return {
        "toolfold": 1,
        "server": {"name": "names", "package": "names", "version": "1"},
        "categories": {"all": {}},
        "tools": tools,
        **more,
    }


def tool(**fields: Any) -> Json:
    return {"category": "all", "effect": "read", "summary": "s", **fields}


def problems_of(manifest: Json, folder: Path) -> str:
    with pytest.raises(ManifestError) as caught:
        compiled(manifest, folder)
    return "\n".join(f"{p.path}: {p.fact} ({p.hint})" for p in caught.value.problems)
