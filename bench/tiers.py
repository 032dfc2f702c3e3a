"""Figures of the steps into a large real catalog: what an agent has paid after each of them."""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Figure, figure, print_figures
from tests.long.test_sweep import CATALOGS
from tests.support.commands import toolfold


def tier_figures(folder: Path) -> Iterator[Figure]:
    """1,641 tools of 39 real servers, by `toolfold budget --tiers`."""
    toolfold(folder, "import", "tools", str(CATALOGS / "mcp-servers.json"))
    report = json.loads(toolfold(folder, "budget", "--tiers", "--format", "json").out)
    listed = f"against {report['listed']:,}"
    for tier in report["tiers"]:
        name = f"tiers: {tier['name']} {tier['what']}, tokens {listed}"
        yield figure(name, [tier["tokens"]], tier["limit"])


def main() -> int:
    """Print every figure; 1 where one is missed."""
    with tempfile.TemporaryDirectory() as folder:
        return 0 if print_figures(tier_figures(Path(folder))) else 1


if __name__ == "__main__":
    sys.exit(main())
