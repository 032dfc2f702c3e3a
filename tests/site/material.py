"""Sites to look at: built through the command, served on loopback, watched in a browser."""

import functools
import http.server
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urldefrag, urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request

from tests.support.commands import toolfold, toolfold_process
from tests.support.waiting import PATIENCE

_LINKS: Final = ("href", "src", "data-src", "poster", "action")
#: Pages that no other page is meant to lead to.
_STANDALONE: Final = frozenset(["404.html"])


def built(folder: Path, *options: str) -> Path:
    """The site of the manifest in `folder`, generated and built now."""
    generated = toolfold(folder, "generate", "-q")
    assert generated.code == 0, generated.text
    done = toolfold_process(folder, "docs", "build", *options)
    assert done.code == 0, done.text
    return folder / "site"


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The site's address while it is served on loopback."""
    handler = functools.partial(_Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@dataclass
class Visit:
    """A page in a browser, and everything that it should not have done."""

    base: str
    browser: Browser
    options: dict[str, Any] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context = self.browser.new_context(**self.options)
        self.context.set_default_timeout(PATIENCE * 1000)
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.on("request", self._request)
        self.page.on("requestfailed", self._failed)

    def open(self, path: str) -> Any:
        """Go to a page of the site."""
        answer = self.page.goto(self.base + path, wait_until="load")
        assert answer is not None
        assert answer.ok, path
        return self.page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.complaints.append(f"another host: {request.url}")

    def _failed(self, request: Request) -> None:
        # Leaving a page gives up what it was still fetching.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"failed: {request.url}")


@contextmanager
def visiting(base: str, browser: Browser, **options: Any) -> Iterator[Visit]:
    """A visit with a context of its own."""
    visit = Visit(base, browser, options)
    try:
        yield visit
    finally:
        visit.context.close()


class Html(HTMLParser):
    """The links, anchors, scripts and handlers of a page; in a title everything is text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.scripts = 0
        self.handlers: list[str] = []
        self.feed(re.sub(r"<title>.*?</title>", "", text, flags=re.DOTALL))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        for name, value in attrs:
            if name in _LINKS and value is not None:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if (tag, name) == ("meta", "content"):
                continue  # text, which nothing follows
            if name.startswith("on") or re.match(r"\s*javascript:", value or "", re.IGNORECASE):
                self.handlers.append(f"{tag} {name}={value}")


@dataclass(frozen=True)
class Checked:
    """What is wrong with a site's links."""

    pages: int
    broken: list[str]
    elsewhere: set[str]
    orphans: list[str]


def pages_of(site: Path) -> dict[str, Html]:
    """Every page of a site by its path, parsed."""
    return {
        path.relative_to(site).as_posix(): Html(path.read_text(encoding="utf-8"))
        for path in site.rglob("*.html")
    }


def check_links(site: Path, parsed: Mapping[str, Html] | None = None, base: str = "/") -> Checked:
    """Follow every link of every page, fragments included; `base` is where the site's root is."""
    pages = pages_of(site) if parsed is None else parsed
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    broken, elsewhere, reached = [], set(), {"index.html"}
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                elsewhere.add(link)
                continue
            is_absolute = link.startswith("/")
            assert not is_absolute or link.startswith(base), link
            target, fragment = (
                _resolved("", link.removeprefix(base)) if is_absolute else _resolved(name, link)
            )
            reached.add(target)
            if target not in files:
                broken.append(f"{name}: {link}")
            elif fragment and target in pages and fragment not in pages[target].anchors:
                broken.append(f"{name}: {link} (no such anchor)")
    orphans = sorted(set(pages) - reached - _STANDALONE)
    return Checked(len(pages), broken, elsewhere, orphans)


def _resolved(page: str, link: str) -> tuple[str, str]:
    path, fragment = urldefrag(link)
    path = unquote(path)
    folder = page.split("/")[:-1]
    for part in path.split("/") if path else []:
        if part == "..":
            folder = folder[:-1]
        elif part not in (".", ""):
            folder = [*folder, part]
    target = "/".join(folder) if path else page
    if target == "" or path.endswith("/") or path == ".":
        target = f"{target}/index.html".lstrip("/")
    return target, unquote(fragment)


def ask(page: Page, text: str) -> None:
    """Open the site's search by its key and type."""
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Search")
    box.wait_for()
    box.press_sequentially(text, delay=5)
