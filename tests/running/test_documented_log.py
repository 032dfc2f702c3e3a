"""docs/how-to/logging.md is true of logging: its code logs as shown."""

from pathlib import Path
from typing import Final

import pytest

from tests.running.material import tool
from tests.support.commands import python
from tests.support.documents import fenced_blocks
from tests.support.projects import ROOT, served_by
from tests.support.servers import Stdio

PAGE: Final = (ROOT / "docs/how-to/logging.md").read_text(encoding="utf-8")
SECTION: Final = PAGE[PAGE.index("## Logging") :]
IMPLEMENTATION: Final = """
from rows import import_rows


class Tools:
    def imports(self, params):
        import_rows(["a", "b", "c"])
        return "done"
"""
(CODE,) = fenced_blocks(SECTION, "python")
(SHOWN,) = fenced_blocks(SECTION, "")


def test_what_is_logged_is_shown(tmp_path: Path) -> None:
    made = served_by(tmp_path, {"imports": tool()}, IMPLEMENTATION)
    (tmp_path / "rows.py").write_text(CODE, encoding="utf-8")

    with Stdio.of(made, "--log", "text", "--log-level", "info") as server:
        server.call(1, "imports")
        server.wait(1)
        assert server.end() == 0

    assert server.log.startswith(SHOWN)


@pytest.mark.long
def test_the_code_passes_strict_type_checking(tmp_path: Path) -> None:
    (tmp_path / "rows.py").write_text(CODE, encoding="utf-8")

    checked = python(tmp_path, "-m", "mypy", "--strict", "rows.py")

    assert checked.code == 0, checked.out
