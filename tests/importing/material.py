"""Tool lists on disk, the command that imports them, and what the manifest then says."""

import json
from pathlib import Path
from typing import Any, Final

from toolfold.manifest.load import load
from toolfold.manifest.schema import Manifest, Tool
from toolfold_runtime import Catalog

from tests.support.commands import toolfold
from tests.support.projects import Json

MANIFEST: Final = "tools.yaml"

#: A program that imports every module of the package that it is given, and counts them.
IMPORT_ALL: Final = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
found = [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in found:
    importlib.import_module(name)
print(len(found))
"""


def tool(name: str, schema: Json | None = None, **fields: Any) -> Json:
    """A tool as `tools/list` shows it."""
    return {"name": name, "inputSchema": {"type": "object"} if schema is None else schema, **fields}


def save(folder: Path, document: Any, stem: str = "demo") -> str:
    """A document as a JSON file in `folder`; the file's name."""
    text = document if isinstance(document, str) else json.dumps(document)
    (folder / f"{stem}.json").write_text(text, encoding="utf-8")
    return f"{stem}.json"


def imported(folder: Path, document: Any, stem: str = "demo") -> Manifest:
    """The manifest of a list that must import, read back."""
    said = toolfold(folder, "import", "tools", save(folder, document, stem))
    assert said.code == 0, said.err
    return read_back(folder)


def refused(folder: Path, document: Any) -> str:
    """What is said of a list that must not import; nothing may be written."""
    said = toolfold(folder, "import", "tools", save(folder, document))
    assert said.code == 2, said
    assert not (folder / MANIFEST).exists()
    assert "this is a bug" not in said.err
    assert said.out == ""
    return said.err


def read_back(folder: Path) -> Manifest:
    return load(folder / MANIFEST).manifest


def by_id(manifest: Manifest) -> dict[str, Tool]:
    return {str(entry.id): entry for entry in manifest.tools.values()}


def names_by_id(manifest: Manifest) -> dict[str, str]:
    return {str(entry.id): name for name, entry in manifest.tools.items()}


def list_every_tool(folder: Path) -> None:
    """Make the manifest's server show all tools in its list, however many there are."""
    with (folder / MANIFEST).open("a", encoding="utf-8") as manifest:
        manifest.write("\ndisclosure: {exposure: direct}\n")


def generated(folder: Path) -> Catalog:
    """The catalog of the package that the manifest in `folder` generates."""
    said = toolfold(folder, "generate", "--quiet")
    assert said.code == 0, said.err
    return catalog(folder)


def catalog(folder: Path) -> Catalog:
    (data,) = (folder / "generated").glob("*/catalog")
    return Catalog(data, data.parent.name)


def exact(value: Any) -> str:
    """A value as text that tells 1 from 1.0 and true, and one order of keys from another."""
    return json.dumps(value, allow_nan=False)


def as_sent(schema: Json) -> str:
    """A schema as text like `exact`, but for the order of its root's keys: the SDK sorts those."""
    return exact(dict(sorted(schema.items())))
