"""The figures of the repository's own example, on the pages that quote them."""

import re

import pytest
from toolfold.commands.budget import budget_report

from tests.support.commands import Result, python
from tests.support.projects import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COSTS = (ROOT / "docs/explanation/costs.md").read_text(encoding="utf-8")
DISCLOSURE = (ROOT / "docs/explanation/disclosure.md").read_text(encoding="utf-8")


def example(name: str) -> Result:
    """What a program of `make demo` prints."""
    return python(ROOT, f"examples/{name}.py")


@pytest.mark.parametrize("page", [COSTS, DISCLOSURE])
def test_what_the_example_costs_listed_and_disclosed(page: str) -> None:
    report = budget_report(ROOT / "tools.yaml")

    assert f"{report.direct:,} tokens" in page
    assert re.search(rf"\b{report.progressive}\b", page)


def test_what_the_first_schema_costs_on_top() -> None:
    schema = re.search(r'tana_tool_schema\("tana_search"\) +(\d+)', example("walk").out)
    start = budget_report(ROOT / "tools.yaml").progressive

    assert schema
    assert f"some {schema[1]} for a schema. That is {start + int(schema[1]):,} tokens" in COSTS


def test_what_one_program_costs_beside_calls() -> None:
    rows = re.findall(r"^  by \w+ +([\d,]+) +(\d+)$", (said := example("code").out), re.MULTILINE)
    (calls, trips), (program, turns) = rows
    words = f"{calls} tokens and {trips} round trips by calls, {program} and {turns} by a program"

    assert words in " ".join(COSTS.split())
    assert said[said.index("  by calls") : said.index("  ratio")] in README
