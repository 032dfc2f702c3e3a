"""The shelf, served over HTTP with and without a verifier of tokens."""

from collections.abc import Iterator
from typing import Final

import pytest

from tests.disclosure.catalogs import SHELF, changed
from tests.support.projects import Project, project
from tests.support.servers import Listening, listening, listening_with_verifier

IMPLEMENTATION: Final = """
import os, socket

class Shelf:
    def find_book(self, params):
        print("looking", flush=True)
        return [f"{params.title} x{params.limit}"]

    def move_book(self, params):
        return f"moved {params.book}"

    def burn_book(self, params):
        raise ValueError("/home/me/secret")

    def dust(self, params):
        # Says that it has begun, and ends when it is told to.
        with socket.create_connection(("127.0.0.1", int(os.environ["GATE"]))) as gate:
            gate.sendall(b"begun")
            gate.recv(1)
        return "dusted"
"""
VERIFIER: Final = """
import os
from mcp.server.auth.provider import AccessToken

HERE = os.environ["HERE"]
TOKENS = {
    "right": AccessToken(token="right", client_id="c", scopes=["books"], resource=HERE),
    "elsewhere": AccessToken(
        token="elsewhere", client_id="c", scopes=["books"], resource="https://other.example/mcp"
    ),
    "nowhere": AccessToken(token="nowhere", client_id="c", scopes=["books"]),
    "powerless": AccessToken(token="powerless", client_id="c", scopes=["none"], resource=HERE),
    "expired": AccessToken(
        token="expired", client_id="c", scopes=["books"], resource=HERE, expires_at=1
    ),
}

class Verifier:
    async def verify_token(self, token):
        return TOKENS.get(token)

verifier = Verifier()
"""


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("shelf")
    made = project(folder, changed(SHELF, exposure="progressive"))
    (folder / "implementation.py").write_text(IMPLEMENTATION, encoding="utf-8")
    (folder / "checks.py").write_text(VERIFIER, encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def web(shelf: Project) -> Iterator[Listening]:
    extra = ["--allow-host", "books.example", "--allow-host", "port.example:8443"]
    extra += ["--allow-origin", "https://books.example"]
    with listening(shelf, *extra) as server:
        yield server


@pytest.fixture(scope="session")
def guarded(shelf: Project) -> Iterator[Listening]:
    with listening_with_verifier(shelf, "--scope", "books") as server:
        yield server
