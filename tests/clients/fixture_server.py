"""The server that has the conformance suite's fixtures."""

import shutil
from pathlib import Path
from typing import Final

from tests.support.commands import toolfold

FOLDER: Final = Path(__file__).parent / "conformance"
PACKAGE: Final = "conformance_mcp"


def generate(folder: Path) -> Path:
    """Where the server is generated."""
    for name in ("tools.yaml", "fixtures.py"):
        shutil.copy(FOLDER / name, folder)
    assert toolfold(folder, "generate", "--quiet").code == 0
    return folder / "generated"
