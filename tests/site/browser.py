"""The browser of the tests: `python -m tests.site.browser` finds the system's chromium or installs it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_INSTALL: Final = ("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "chromium")
_FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """Where chromium is, if it is anywhere."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


@contextmanager
def started() -> Iterator["Browser"]:
    """A browser with a profile of its own, closed at the end."""
    from playwright.sync_api import sync_playwright

    path = chromium()
    assert path is not None, "no chromium: `make test` installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def main() -> int:
    """0 where there is a chromium in the end."""
    if chromium() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "--quiet"], check=False)
        subprocess.run(
            _INSTALL, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, check=False
        )
    if chromium() is None:
        print("the tests of the site need chromium: apt-get install chromium", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
