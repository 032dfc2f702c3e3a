"""What the pages say to do works: their files are written and their commands run, in order."""

from pathlib import Path
from typing import Final

import pytest

from tests.support.documents import steps, walk
from tests.support.projects import ROOT

#: Pages whose commands have a test of their own, because servers run beside them.
RUN_ELSEWHERE: Final = {
    "README.md": "tests/test_readme.py",
    "docs/how-to/callers.md": "tests/callers/test_documented.py",
    "docs/how-to/gateway.md": "tests/importing/servers/test_gateway_page.py",
    "docs/how-to/scaling.md": "tests/serving/test_scaling_documents.py",
    "docs/reference/commands.md": "tests/manual/test_reference.py",
}
PAGES: Final = sorted(
    page.relative_to(ROOT).as_posix()
    for page in (ROOT / "docs").rglob("*.md")
    if any(step.command for step in steps(page.read_text(encoding="utf-8")))
)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in RUN_ELSEWHERE])
def test_a_page_comes_out_as_it_says(page: str, tmp_path: Path) -> None:
    assert walk((ROOT / page).read_text(encoding="utf-8"), tmp_path) > 0


@pytest.mark.parametrize("page", RUN_ELSEWHERE)
def test_a_page_that_is_run_elsewhere_is_there_and_so_is_its_test(page: str) -> None:
    assert (ROOT / page).is_file()
    assert (ROOT / RUN_ELSEWHERE[page]).is_file()
