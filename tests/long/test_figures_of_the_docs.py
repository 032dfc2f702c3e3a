"""The figures of the README and its picture are those of the 1,641 tools that they speak of."""

import re
from pathlib import Path
from statistics import median

import pytest
from toolfold.commands.budget import budget_report
from toolfold.commands.budget_tiers import tiers_report

from tests.long.test_sweep import CATALOGS
from tests.support.commands import toolfold
from tests.support.projects import ROOT

pytestmark = pytest.mark.long

PAGES = ("README.md", "docs/index.md", "docs/assets/tokens.svg", "docs/explanation/costs.md")


def test_what_1641_tools_cost_is_what_the_pages_say(tmp_path: Path) -> None:
    done = toolfold(tmp_path, "import", "tools", str(CATALOGS / "mcp-servers.json"))
    assert done.code == 0, done.text
    report = budget_report(tmp_path / "tools.yaml")
    pages = [cost.tokens for cost in report.costs if cost.name.startswith("category ")]
    schema = median(cost.tokens for cost in report.costs if cost.budget == "schema")
    read_on = report.progressive + max(pages) + 3 * schema
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}

    for page, text in texts.items():
        assert f"{report.direct:,}" in text, page
        assert re.search(rf"\b{report.progressive}\b", text), page
    for page in ("docs/assets/tokens.svg", "docs/explanation/costs.md"):
        assert f"{read_on:,.0f}" in texts[page], read_on
    steps = tiers_report(tmp_path / "tools.yaml").tiers
    for step in (step for step in steps if "median" not in step.what):
        assert f"| {float(f'{step.tokens:.3g}'):,.0f} |" in texts["docs/explanation/costs.md"], step
