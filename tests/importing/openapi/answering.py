"""A server over HTTP in a thread of the test that answers each path as a test wants."""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Answer(NamedTuple):
    """What a path is answered with."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {}


@contextlib.contextmanager
def answering(answers: Mapping[str, Answer]) -> Iterator[str]:
    """The address of a server with these answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers.get(self.path, Answer(status=404))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            with contextlib.suppress(OSError):  # of who hangs up in the middle
                self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            """Nothing: the output of a test is its own."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
