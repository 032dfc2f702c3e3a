"""The generated pages, which lie beside the package and are read on demand.

A package may be deployed without them, and where it is installed a folder `docs` may be anybody's:
only a plain file whose first line says that it belongs to this package is a page.
"""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from toolfold_runtime.contract import pages
from toolfold_runtime.contract.address import encoded_value
from toolfold_runtime.contract.resource import AGENTS_PAGE, HOME_PAGE, TOKENS_PAGE
from toolfold_runtime.jsontext import MOST_ANSWER_BYTES

# As the generator writes them; text of a manifest has no brackets in pages.
_LINK: Final = re.compile(
    r"\]\((?:\.\./)?(?:(tools|categories)/)?([A-Za-z0-9_.-]+\.md)(#[\w.-]+)?\)"
)
_ADDRESSES: Final = {
    pages.HOME: HOME_PAGE,
    pages.AGENTS: AGENTS_PAGE,
    pages.TOKENS: TOKENS_PAGE,
}


class Pages:
    """The pages in a folder that have `header` in their first line."""

    def __init__(self, folder: Path, header: str) -> None:
        self._folder = folder
        self._first_line = pages.first_line(header) + "\n"

    def text(self, path: str, names: Mapping[str, str]) -> str | None:
        """A page for agents: without pictures, its links as addresses; None where it is not there.

        `path` comes from the contract, never from a client. `names` has the tools whose pages are
        not named like them.
        """
        page = self._read(path)
        if page is None:
            return None
        tools = {stem: name for name, stem in names.items()}
        text = pages.as_markdown(page.removeprefix(self._first_line)).lstrip("\n")
        return _LINK.sub(lambda link: _as_resource_link(link, tools), text)

    def _read(self, path: str) -> str | None:
        """The file at a path, if it is a page of this package."""
        try:
            with open(self._folder / path, "rb", opener=_open_at_once) as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_ANSWER_BYTES:
                    return None
                text = file.read(MOST_ANSWER_BYTES).decode("utf-8", "replace")
        except OSError:
            return None
        return text if text.startswith(self._first_line) else None


def _open_at_once(path: str, flags: int) -> int:
    """Open a file at once, also where it is a FIFO; OSError where it is a link."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _as_resource_link(link: re.Match[str], tools: Mapping[str, str]) -> str:
    """A link between pages as a link between resources."""
    folder, file, anchor = link.groups(default="")
    if not folder:
        return f"]({_ADDRESSES[file]}{anchor})" if file in _ADDRESSES else link[0]
    stem = file.removesuffix(".md")
    return f"](toolfold://{folder}/{encoded_value(tools.get(stem, stem))}{anchor})"
