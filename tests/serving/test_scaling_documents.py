"""docs/how-to/scaling.md and examples/compose are true: what they start serves, to whom they say."""

import contextlib
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest
import yaml

from tests.serving.messages import LIST
from tests.support.documents import fenced_blocks
from tests.support.projects import ROOT, Project
from tests.support.servers import Listening, free_port, once_open

PAGE: Final = (ROOT / "docs/how-to/scaling.md").read_text(encoding="utf-8")
COMPOSE: Final = yaml.safe_load(
    (ROOT / "examples/compose/compose.yaml").read_text(encoding="utf-8")
)


@contextlib.contextmanager
def started(made: Project, command: Sequence[str], **environment: str) -> Iterator[Listening]:
    """A documented command, on a free port and for a project elsewhere."""
    assert command[0] == "toolfold"
    port = free_port()
    more = ["-m", str(made.manifest), "--port", str(port)]
    server = Listening([sys.executable, "-m", *command, *more], port, **environment)
    with once_open(server) as server:
        yield server


def test_the_command_for_one_machine_starts_so_many_workers(shelf: Project) -> None:
    (block,) = fenced_blocks(PAGE, "console")
    command = shlex.split(block.removeprefix("$ "))
    with started(shelf, command) as server:
        server.err.wait_until(lambda: "serving on" in server.log, "it does not say that it serves")
        assert server.post(LIST).status == 200
        assert f'"workers": {command[-1]}' in server.log


def test_the_container_of_the_page_answers_its_probes_and_only_those_with_a_token(
    shelf: Project,
) -> None:
    (text,) = [block for block in fenced_blocks(PAGE, "yaml") if "containers:" in block]
    (container,) = yaml.safe_load(text)["containers"]
    probes = [container[name]["httpGet"] for name in ("livenessProbe", "readinessProbe")]
    with started(shelf, container["args"], HERE="https://tools.example/mcp") as server:
        said = [
            server.request("GET", probe["path"], None, headers(probe)).status for probe in probes
        ]
        refused = server.post(LIST, Host="tools.example").status
        foreign = server.request("GET", probes[0]["path"], None, {"Host": "elsewhere.example"})

    assert {probe["port"] for probe in probes} == {8000}
    assert said == [200, 200]
    assert (refused, foreign.status) == (401, 421)


def headers(probe: dict[str, Any]) -> dict[str, str]:
    return {header["name"]: header["value"] for header in probe["httpHeaders"]}


def test_the_command_of_the_compose_file_answers_the_proxy(shelf: Project) -> None:
    (command,) = re.findall(r'exec (toolfold .*)"$', COMPOSE["services"]["tools"]["command"])
    with started(shelf, shlex.split(command)) as server:
        by_name = server.post(LIST, Host="localhost:8080")
        foreign = server.post(LIST, Host="elsewhere.example:8080")

    assert (by_name.status, foreign.status) == (200, 421)


def test_every_service_and_volume_that_is_named_is_there() -> None:
    services = COMPOSE["services"]
    needed = {name for service in services.values() for name in service.get("depends_on", ())}
    mounted = [
        volume.split(":")[0] for service in services.values() for volume in service["volumes"]
    ]
    beside = [ROOT / "examples/compose" / volume for volume in mounted if volume.endswith(".conf")]

    assert needed <= set(services)
    assert {volume for volume in mounted if not volume.startswith("./")} == set(COMPOSE["volumes"])
    assert [path.exists() for path in beside] == [True]


@pytest.mark.parametrize("variable", ["POSTGRES_PASSWORD", "TOOLFOLD_STATE_KEYS"])
def test_the_compose_file_holds_no_secret(variable: str) -> None:
    text = (ROOT / "examples/compose/compose.yaml").read_text(encoding="utf-8")

    # Whoever forgets one is told by Compose.
    assert f"${{{variable}:?}}" in text
    assert variable in text.partition("services:")[0]
