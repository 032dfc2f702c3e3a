"""docs/how-to/callers.md is true: its manifest, class and verifier work together, and refuse what they should."""

import base64
import hashlib
import hmac
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import anyio
import jwt
import mcp_types as types
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.callers.material import User
from tests.support import clients
from tests.support.clients import answer_of, connected, over_http
from tests.support.commands import python, toolfold
from tests.support.documents import fenced_blocks
from tests.support.projects import ROOT, Json, Project
from tests.support.servers import Listening, free_port, listening

PAGE: Final = (ROOT / "docs/how-to/callers.md").read_text(encoding="utf-8")
ISSUER: Final = "https://login.example.com"
KEY: Final = ec.generate_private_key(ec.SECP256R1())
OTHER_KEY: Final = ec.generate_private_key(ec.SECP256R1())


def blocks(language: str) -> list[str]:
    return fenced_blocks(PAGE, language)


def public_keys() -> Json:
    algorithm = jwt.algorithms.ECAlgorithm(jwt.algorithms.ECAlgorithm.SHA256)
    known = json.loads(algorithm.to_jwk(KEY.public_key()))
    return {"keys": [known | {"kid": "one", "alg": "ES256", "use": "sig"}]}


@pytest.fixture(scope="module")
def keys() -> Iterator[str]:
    """The address of an authorization server's public keys."""
    body = json.dumps(public_keys()).encode()

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as in the base class
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Keys) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/jwks.json"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("documented")
    (manifest,) = blocks("yaml")
    orders, checks = blocks("python")
    for name, text in (("tools.yaml", manifest), ("orders.py", orders), ("checks.py", checks)):
        (folder / name).write_text(text, encoding="utf-8")
    assert toolfold(folder, "generate").code == 0
    assert toolfold(folder, "check").code == 0
    return Project(folder, "orders_mcp")


@pytest.fixture(scope="module")
def server(project: Project, keys: str) -> Iterator[Listening]:
    port = free_port()
    here = f"http://127.0.0.1:{port}/mcp"
    (command,) = re.findall(r"^\$ toolfold serve (.*)$", PAGE, re.MULTILINE)
    options = command.replace("$ISSUER", ISSUER).replace("$RESOURCE", here).split()
    environment = {"ISSUER": ISSUER, "RESOURCE": here, "JWKS": keys}
    with listening(project, *options, port=port, **environment) as running:
        yield running


def claims_of(server: Listening, **changes: Any) -> Json:
    claims = {
        "iss": ISSUER,
        "aud": server.url,
        "exp": int(time.time()) + 600,
        "sub": "ada",
        "client_id": "desk",
        "scope": "orders:read",
    }
    return {key: value for key, value in (claims | changes).items() if value is not None}


def signed(claims: Json, key: Any = KEY, algorithm: str = "ES256", kid: str = "one") -> str:
    return jwt.encode(claims, key, algorithm, {"kid": kid, "typ": "at+jwt"})


@pytest.mark.long
def test_the_code_passes_strict_type_checking(project: Project) -> None:
    done = python(
        project.folder,
        *("-m", "mypy", "--strict", "orders.py", "checks.py"),
        environment={"MYPYPATH": str(project.output)},
    )
    assert done.code == 0, done.out


def test_each_caller_gets_their_own_and_is_told_what_is_missing(server: Listening) -> None:
    ada = signed(claims_of(server))
    eve = signed(claims_of(server, sub="eve"))

    assert clients.call(over_http(server.url, ada), "list_orders").text == '["A-1","A-2"]'
    assert clients.call(over_http(server.url, eve), "list_orders").text == '["E-1"]'
    refused = clients.call(over_http(server.url, ada), "cancel_order", {"id": "A-1"}).text
    (shown,) = [block for block in blocks("") if block.startswith("forbidden: ")]
    assert refused == shown.rstrip("\n")


def test_the_user_is_asked_as_shown(server: Listening) -> None:
    user = User()
    token = signed(claims_of(server, scope="orders:read orders:write"))

    async def cancel() -> str:
        transport = over_http(server.url, token)
        async with connected(transport, elicitation_callback=user) as client:
            return answer_of(await client.call_tool("cancel_order", {"id": "A-1"})).text

    assert anyio.run(cancel) == "A-1 is cancelled"
    (shown,) = [block for block in blocks("") if block.startswith("Run ")]
    assert user.questions == [shown.rstrip("\n")]


def test_the_user_is_asked_for_input_as_shown(server: Listening) -> None:
    token = signed(claims_of(server))
    broken = types.ElicitResult(action="accept", content={"reason": "broken"})

    async def return_order(user: User) -> str:
        transport = over_http(server.url, token)
        async with connected(transport, elicitation_callback=user) as client:
            return answer_of(await client.call_tool("return_order", {"id": "A-1"})).text

    user = User(broken)
    assert anyio.run(return_order, user) == "A-1 is returned: broken"
    (shown,) = [block for block in blocks("") if block.startswith("Why ")]
    assert user.questions == [shown.rstrip("\n")]
    assert anyio.run(return_order, User(types.ElicitResult(action="decline"))) == "A-1 is kept"


def test_over_stdio_and_in_try_the_caller_is_local(project: Project) -> None:
    tried = toolfold(project.folder, "try", "list_orders")

    assert tried.out == '["A-1","A-2","E-1"]\n'


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def by_hand(algorithm: str, claims: Json) -> str:
    """The part of a token that is signed, where the library refuses to write it."""
    parts = ({"alg": algorithm, "kid": "one"}, claims)
    return ".".join(encoded(json.dumps(part).encode()) for part in parts)


def signed_with_the_public_key(server: Listening) -> str:
    """The classic confusion: a public key taken for a shared secret."""
    form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    secret = KEY.public_key().public_bytes(*form)
    text = by_hand("HS256", claims_of(server))
    return f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


REFUSED: Final[dict[str, Callable[[Listening], str]]] = {
    "expired": lambda server: signed(claims_of(server, exp=int(time.time()) - 5)),
    "for another service": lambda server: signed(claims_of(server, aud="https://other.example")),
    "by another issuer": lambda server: signed(claims_of(server, iss="https://evil.example")),
    "without an end": lambda server: signed(claims_of(server, exp=None)),
    "without a subject": lambda server: signed(claims_of(server, sub=None)),
    "signed by somebody else": lambda server: signed(claims_of(server), OTHER_KEY),
    "signed with an unknown key": lambda server: signed(claims_of(server), OTHER_KEY, kid="two"),
    "not signed": lambda server: by_hand("none", claims_of(server)) + ".",
    "signed with the public key": signed_with_the_public_key,
    "no token at all": lambda server: "nonsense",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_the_verifier_refuses_a_token(kind: str, server: Listening) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}

    answer = server.post(message, Authorization=f"Bearer {REFUSED[kind](server)}")

    assert answer.status == 401
