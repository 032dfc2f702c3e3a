"""Every figure that was asked for, in one table: what an earlier change reached must still hold."""

import subprocess
import sys
from pathlib import Path

PROGRAMS = ("generate.py",)


def main() -> int:
    """Run every program of this folder, in order; 1 where any figure is missed."""
    codes = []
    for program in PROGRAMS:
        print(f"\n== {program}", flush=True)
        codes.append(subprocess.run([sys.executable, str(Path(__file__).with_name(program))]))
    return 1 if any(done.returncode for done in codes) else 0


if __name__ == "__main__":
    sys.exit(main())
