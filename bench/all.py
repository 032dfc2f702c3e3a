"""Every figure that was asked for, in one table: what an earlier change reached must still hold."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = (
    "generate",
    "serve",
    "streams",
    "run",
    "gateway",
    "importing",
    "tiers",
    "faults",
    "site",
    "search",
    "prior",
    "usage",
)


ROOT = Path(__file__).parents[1]


def main() -> int:
    """Run every program of this folder, in order; 1 where any figure is missed."""
    codes = []
    for program in PROGRAMS:
        print(f"\n== bench/{program}.py", flush=True)
        command = [sys.executable, "-m", f"bench.{program}"]
        with tempfile.TemporaryDirectory() as folder:  # calls are counted, and not as the user's
            usage = {"TOOLFOLD_USAGE": str(Path(folder, "usage.db"))}
            codes.append(subprocess.run(command, cwd=ROOT, env={**os.environ, **usage}))
    return 1 if any(done.returncode for done in codes) else 0


if __name__ == "__main__":
    sys.exit(main())
