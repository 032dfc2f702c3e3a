"""What points outside a manifest is refused or left alone; nothing follows it."""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.security.manifests import manifest_of, problems_of, tool
from tests.security.material import Json
from tests.support.commands import Result, program

OUTER_REFERENCES: Final = (
    "http://127.0.0.1:9/schema.json",
    "https://example.com/schema.json#/x",
    "//example.com/x",
    "file:///etc/passwd",
    "/etc/passwd",
    "../secret.json",
    "secret.json",
    "secret.json#/$defs/X",
    "urn:toolfold:document",
    "https://json-schema.org/draft/2020-12/schema",
    "#/properties/x",
    "#anchor",
    "#/$defs/../x",
    "#/$defs/Missing",
    "data:application/json,{}",
)


@pytest.mark.parametrize("reference", OUTER_REFERENCES)
@pytest.mark.parametrize("where", ["parameter", "nested", "returns", "definition"])
def test_a_hand_written_reference_that_leaves_the_manifest_is_refused(
    reference: str, where: str, tmp_path: Path
) -> None:
    schema = {"$ref": reference}
    manifest = manifest_of({"t": tool()})
    match where:
        case "parameter":
            manifest["tools"]["t"]["parameters"] = {"x": schema}
        case "nested":
            manifest["tools"]["t"]["parameters"] = {"x": {"anyOf": [{"items": schema}]}}
        case "returns":
            manifest["tools"]["t"]["returns"] = schema
        case "definition":
            manifest["$defs"] = {"Thing": {"properties": {"x": schema}}}

    assert f'"{reference}"' in problems_of(manifest, tmp_path)


@pytest.mark.parametrize(
    "key", ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$schema", "$vocabulary", "x-py"]
)
def test_a_hand_written_keyword_that_reaches_out_is_refused(key: str, tmp_path: Path) -> None:
    parameters = {"x": {"type": "string", key: "http://127.0.0.1:9/"}}

    assert f'"{key}"' in problems_of(manifest_of({"t": tool(parameters=parameters)}), tmp_path)


_WATCHED: Final = """
import sys
from toolfold.cli.main import main

def watch(event, arguments):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "urllib.", "http.", "ftplib.")):
        raise RuntimeError(f"network: {event} {arguments}")
    if event == "open" and "secret.json" in str(arguments[0]):
        raise RuntimeError(f"read: {arguments}")
    if event == "import" and arguments[0] == "hidden_implementation":
        raise RuntimeError("the generator imported the implementation")

sys.addaudithook(watch)
sys.exit(main(sys.argv[1:]))
"""


def watched(folder: Path, *arguments: str) -> Result:
    return program(folder, _WATCHED, *arguments)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A port that notices every connection, made by Python or not."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def connections(server: socket.socket) -> int:
    """How many have connected so far."""
    number = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            server.accept()[0].close()
            number += 1
    return number


def reaching_out(address: str, secret: Path) -> dict[str, Json]:
    """Foreign schemas that point outside in every way a schema can."""
    places = [f"http://{address}/x", f"https://{address}/x", secret.as_uri(), "secret.json"]
    tools = {}
    for n, place in enumerate([*places, *OUTER_REFERENCES[2:]]):
        schema = {"type": "object", "properties": {"x": {"type": "string"}}}
        tools[f"dialect{n}"] = tool(input_schema={**schema, "$schema": place})
        tools[f"id{n}"] = tool(input_schema={**schema, "$id": place})
        tools[f"ref{n}"] = tool(
            input_schema={**schema, "properties": {"x": {"$ref": place}}},
            output_schema={"$ref": place},
        )
        tools[f"dynamic{n}"] = tool(
            input_schema={**schema, "properties": {"x": {"$dynamicRef": place}}},
            output_schema={"type": "object", "$schema": place, "$ref": place},
        )
    return tools


def test_generation_reaches_no_network_no_other_file_and_never_the_implementation(
    tmp_path: Path, listener: socket.socket
) -> None:
    host, port = listener.getsockname()
    secret = tmp_path / "secret.json"
    os.mkfifo(secret)
    manifest = manifest_of(reaching_out(f"{host}:{port}", secret))
    manifest["server"]["implementation"] = "hidden_implementation:Class"
    (tmp_path / "hidden_implementation.py").write_text("open('canary', 'w')", encoding="utf-8")
    (tmp_path / "tools.yaml").write_text(json.dumps(manifest), encoding="utf-8")

    done = watched(tmp_path, "generate", "--no-cache", "--format", "json")

    assert connections(listener) == 0
    assert "Traceback" not in done.err
    assert done.code == 0, done.err
    facts = [problem["fact"] for problem in json.loads(done.out)]
    for place in ("http://", "https://", "file://", "/etc/passwd", "../secret.json"):
        assert any(fact.startswith(f'reference "{place}') for fact in facts), place
    assert {path.name for path in tmp_path.iterdir()} == {
        *("generated", "hidden_implementation.py", "secret.json", "tools.yaml")
    }


def test_a_call_of_a_tool_whose_schema_points_outside_reaches_nothing(
    tmp_path: Path, listener: socket.socket
) -> None:
    host, port = listener.getsockname()
    secret = tmp_path / "secret.json"
    os.mkfifo(secret)
    tools = reaching_out(f"{host}:{port}", secret)
    manifest = manifest_of({name: tools[name] for name in ("dialect0", "ref0", "ref2")})
    manifest["server"]["implementation"] = "implementation:Echo"
    source = "class Echo:\n    def __getattr__(self, name): return lambda params: {}\n"
    (tmp_path / "implementation.py").write_text(source, encoding="utf-8")
    (tmp_path / "tools.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    assert watched(tmp_path, "generate", "--quiet").code == 0

    for name in manifest["tools"]:
        done = watched(tmp_path, "try", name, '{"x": "y"}')

        assert "Traceback" not in done.err
        assert done.code in (0, 1)
    assert connections(listener) == 0
