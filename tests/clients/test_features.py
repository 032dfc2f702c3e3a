"""What is beside tools, as the TypeScript clients from npm use it: the suite's fixtures serve both."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.clients.conformance.fixtures import PNG
from tests.clients.fixture_server import PACKAGE, generate
from tests.clients.node import run_node
from tests.support.projects import import_path
from tests.support.servers import package_command, package_listening

Json = dict[str, Any]

pytestmark = pytest.mark.long

SCRIPT: Final = Path(__file__).parent / "features.mjs"
#: Without sessions there is no way back to a client of the handshake era, and nobody who remembers.
LIMITED: Final = ("sdk", "http")
LOGGED: Final = ["Tool execution started", "Tool processing data", "Tool execution completed"]


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Json]]:
    """How to reach the server, by transport."""
    output = generate(tmp_path_factory.mktemp("features"))
    program, *arguments = package_command(PACKAGE)
    stdio = {"command": program, "args": arguments, "env": import_path(output)}
    with package_listening(PACKAGE, output) as server:
        yield {"stdio": stdio, "http": {"url": server.url}}


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("client", ["sdk", "client"])
def test_a_client_uses_all_that_is_beside_tools(
    client: str, transport: str, targets: dict[str, Json], tmp_path: Path
) -> None:
    asked = json.dumps({"client": client, "target": targets[transport]})
    script = SCRIPT.read_text(encoding="utf-8")

    done = run_node("--input-type=module", "-", asked, home=tmp_path, script=script)

    assert done.code == 0, done.err
    seen = json.loads(done.out)
    if transport == "http":
        # Over stdio both lose reports that they read together with the answer: they handle those a
        # moment later, when the call is settled (shared/protocol.js, `_onnotification`).
        assert seen["progress"] == [0, 50, 100]
        assert seen["errors"] == []
    is_limited = (client, transport) == LIMITED
    assert seen["asked"] == ([] if is_limited else ["Who is it?"])
    assert seen["question"].startswith("unconfirmed: " if is_limited else "User response: ")
    assert seen["logged"] == ([] if is_limited else LOGGED)
    assert {"toolfold://inventory", "test://static-text"} <= set(seen["resources"])
    assert seen["page"].startswith("# `test_simple_text`")
    assert seen["data"]["id"] == "7"
    assert base64.b64decode(seen["image"]) == PNG
    assert seen["prompt"] == "This is a simple prompt for testing."
    assert seen["completed"] == ["test_simple_text"]
