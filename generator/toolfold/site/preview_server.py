"""The web server of the preview: files from memory, news of changes, and calls of tools.

What it answers to whom is decided first: a page of another origin, or a name that was made to lead
here, gets nothing.
"""

import http.server
import json
import mimetypes
import threading
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from toolfold.emit.templates import templates_dir
from toolfold.site.try_it import MOST_BYTES, TriedServer, TryRefusedError

_SCRIPT: Final = '<script src="{root}-/try.js" defer></script>\n</body>'
_ROOT: Final = 'data-root="'
_LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
_PATIENCE: Final = 20.0  # seconds until a page asks again for news
#: What is shown may call tools: no page of another shows it in a frame, where a click might be
#: meant for something else, and nothing that is written in a page or a picture runs.
_SAFE: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
        " object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
}


class Preview:
    """The files of the site as they are now."""

    def __init__(self) -> None:
        self._files: Mapping[str, bytes] = {}
        self._changed = threading.Condition()
        self.version = 0

    def replace(self, files: Mapping[str, str | bytes]) -> None:
        """Show these files from now on, and tell pages that are open."""
        encoded = {
            path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()
        }
        with self._changed:
            self._files = encoded
            self.version += 1
            self._changed.notify_all()

    def file(self, path: str) -> bytes | None:
        """The file at a path below the root; None where there is none."""
        return self._files.get(f"{path}index.html" if not path or path.endswith("/") else path)

    def wait(self, seen: int) -> int:
        """The version, at once where it is not the one that was seen, else after a while."""
        with self._changed:
            self._changed.wait_for(lambda: self.version != seen, _PATIENCE)
            return self.version


class PreviewServer(http.server.ThreadingHTTPServer):
    """Serves a preview on an address of this machine; tools can be tried where `tried` is given."""

    daemon_threads = True

    def __init__(self, shown: Preview, tried: TriedServer | None, host: str, port: int) -> None:
        self.shown = shown
        self.tried = tried
        self.is_ours_alone = tried is not None
        super().__init__((host, port), _Handler)

    @property
    def origins(self) -> list[str]:
        """The addresses under which pages of this server are opened."""
        return [f"http://{name}:{self.server_port}" for name in _LOOPBACK_NAMES]


class _Handler(http.server.BaseHTTPRequestHandler):
    server: PreviewServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing of requests."""

    def do_GET(self) -> None:
        if self._is_refused():
            return
        path = unquote(urlsplit(self.path).path).removeprefix("/")
        if path == "-/news":
            seen = urlsplit(self.path).query
            version = self.server.shown.wait(int(seen) if seen.isdecimal() else -1)
            self._send(200, "text/plain", str(version).encode())
        elif path == "-/try.js":
            script = templates_dir() / "site" / "try.js"
            self._send(200, "text/javascript", script.read_bytes())
        elif path.startswith("-/tool/") and self.server.tried:
            self._json(lambda tried: tried.described(path.removeprefix("-/tool/")))
        else:
            self._send_file(path)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        if self._is_refused(needs_origin=True):
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            self._refuse(413, "too long, or of no length")
            return
        body = self.rfile.read(int(length))
        if self.path != "/-/call" or self.headers.get_content_type() != "application/json":
            self._refuse(404, "no such address")
            return
        self._json(lambda tried: tried.call(json.loads(body)))

    def _is_refused(self, *, needs_origin: bool = False) -> bool:
        """Whether the request is refused, and answered: by the name it asks for, or its origin."""
        if not self.server.is_ours_alone:
            return False
        origins = self.server.origins
        if f"http://{self.headers.get('Host', '')}" not in origins:
            self._refuse(421, "this server answers to its own address only")
            return True
        origin = self.headers.get("Origin")
        if origin not in origins if origin or needs_origin else False:
            self._refuse(403, "this server answers its own pages only")
            return True
        return False

    def _json(self, answer: Any) -> None:
        tried = self.server.tried
        if tried is None:
            self._refuse(403, "tools can be tried on loopback only")
            return
        try:
            self._send(200, "application/json", json.dumps(answer(tried)).encode())
        except (TryRefusedError, ValueError) as error:
            self._refuse(400, str(error))
        except RecursionError:
            self._refuse(400, "too deeply nested")

    def _send_file(self, path: str) -> None:
        content = self.server.shown.file(path)
        status = 200
        if content is None:
            content, status, path = self.server.shown.file("404.html") or b"", 404, "404.html"
        kind = mimetypes.guess_type(path or "index.html")[0] or "text/html"
        if path.endswith("/") or not path or kind == "text/html":
            kind, content = "text/html", _with_script(content)
        self._send(status, kind, content)

    def _refuse(self, status: int, words: str) -> None:
        self.close_connection = True
        self._send(status, "application/json", json.dumps({"error": words}).encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        is_text = kind.startswith("text/") or kind.endswith(("json", "javascript"))
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if is_text else kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        for name, value in _SAFE.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _with_script(page: bytes) -> bytes:
    """A page that hears of changes, and whose tool can be tried."""
    text = page.decode()
    root = text.partition(_ROOT)[2].partition('"')[0]
    return text.replace("</body>", _SCRIPT.format(root=root)).encode()
