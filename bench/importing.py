"""Figures of importing servers: what agents pay for them, and what a second import changes.

The 39 servers of a real catalog are programs that publish its tools; the eight are real ones, which
are installed where they are missing.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Figure, figure
from tests.importing.servers.material import imported
from tests.long.test_real_servers import EIGHT, MOST_TOKENS, budget, published_catalog, real_config
from tests.long.test_sweep import CATALOGS
from tests.support.commands import toolfold


def catalog_figures(folder: Path) -> Iterator[Figure]:
    """39 declared servers beside their 1,641 tools, imported from a saved list."""
    gateway, plain = folder / "gateway", folder / "plain"
    imported(gateway, "--config", published_catalog(gateway, "mcp-servers"))
    plain.mkdir()
    toolfold(plain, "import", "tools", str(CATALOGS / "mcp-servers.json"))
    costs = budget(gateway)["gateway"] / budget(plain)["gateway"]
    name = "importing: 39 servers declared / the same tools imported"
    yield figure(f"{name}, tokens of the inventory", [costs], 1.05)
    changed = 39 - imported(gateway).out.count(": unchanged: ")
    yield figure("importing: 39 servers again, files that change", [changed], 0)


def real_figures(folder: Path) -> Iterator[Figure]:
    """Eight real servers: what their lists cost, and what the gateway costs instead."""
    folder.mkdir()
    imported(folder, "--timeout", "240", "--config", real_config(folder, *EIGHT))
    costs = budget(folder)
    name = f"importing: eight real servers, which list {costs['listed']:,} tokens"
    yield figure(f"{name}: ours", [costs["gateway"]], MOST_TOKENS)


def main() -> int:
    """Print every figure; 1 where one is missed."""
    with tempfile.TemporaryDirectory() as folder:
        figures = []
        for measured in (*catalog_figures(Path(folder)), *real_figures(Path(folder, "real"))):
            print(measured.row(), flush=True)
            figures.append(measured)
    return 0 if all(measured.is_met for measured in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
