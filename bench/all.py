"""Every figure that was asked for, in one table: what an earlier change reached must still hold."""

import subprocess
import sys
from pathlib import Path

from bench.catalogs import CATALOGS

PROGRAMS = (
    "generate",
    "serve",
    "streams",
    "run",
    "gateway",
    "importing",
    "openapi",
    "tiers",
    "faults",
    "site",
    "search",
    "prior",
    "usage",
    "scaling",
    "api",
    "code",
)


ROOT = Path(__file__).parents[1]


def main() -> int:
    """Run every program of this folder, in order; 1 where any figure is missed."""
    if not CATALOGS.is_dir():
        raise SystemExit(f"the figures are measured on real data, which is not here: {CATALOGS}")
    codes = []
    for program in PROGRAMS:
        print(f"\n== bench/{program}.py", flush=True)
        command = [sys.executable, "-m", f"bench.{program}"]
        codes.append(subprocess.run(command, cwd=ROOT))
    return 1 if any(done.returncode for done in codes) else 0


if __name__ == "__main__":
    sys.exit(main())
