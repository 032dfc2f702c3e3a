"""The site of 1,641 real tools: whole, linked, and quiet in a browser."""

import json
from pathlib import Path
from typing import Final

import pytest
from toolfold.plan.disclosure.tokens import count

from tests.site.browser import started
from tests.site.material import built, check_links, served, visiting
from tests.support.commands import toolfold_process

CATALOG: Final = Path(__file__).parents[3] / "shared/bench/catalogs/mcp-servers.json"
TOOLS: Final = 1_641

pytestmark = pytest.mark.long


def test_a_large_site_has_no_broken_link_no_orphan_and_no_complaint(tmp_path: Path) -> None:
    assert toolfold_process(tmp_path, "import", "tools", str(CATALOG)).code == 0
    site = built(tmp_path)
    found = check_links(site)
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    with served(site) as base, started() as browser, visiting(base, browser) as visit:
        for page in {*pages[::20], "index.html", "tokens.html", "agents.html"}:
            visit.open(page)

    assert found.pages > TOOLS
    assert found.broken == []
    assert found.orphans == []
    # The links that install it, and nothing else.
    assert {link.partition(":")[0] for link in found.elsewhere} == {"cursor", "vscode"}
    assert visit.complaints == []
    assert count((site / "llms.txt").read_text(encoding="utf-8")) <= 8_000
    assert count((site / "llms-full.txt").read_text(encoding="utf-8")) <= 100_000
    catalog = json.loads((site / "catalog.json").read_bytes())
    assert len(catalog["tools"]) == TOOLS
