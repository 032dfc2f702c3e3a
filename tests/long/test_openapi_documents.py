"""Every operation of 18 real documents becomes a tool that is generated, imported and listed; three are called."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import anyio
import jsonschema_rs
import pytest
from toolfold.importing.openapi.document import read_document
from toolfold.importing.openapi.warnings import Warnings
from toolfold.manifest.load import load
from toolfold.plan.schemas.served import with_definitions
from toolfold.plan.schemas.smallest import example_arguments
from toolfold_runtime.jsontext import compact
from toolfold_runtime.shown.schema import shown_schema

from tests.importing.material import IMPORT_ALL, list_every_tool
from tests.importing.openapi.material import import_openapi
from tests.support.clients import connected, over_stdio
from tests.support.commands import python, toolfold
from tests.support.projects import Json, import_path
from tests.support.servers import listed_tools, package_command

DOCUMENTS: Final = Path(__file__).parents[3] / "shared/bench/openapi"
OPERATIONS: Final = {
    "airflow.yaml": 73,
    "aws-dynamodb.yaml": 53,
    "box.yaml": 260,
    "callback-example-3.0.json": 1,
    "digitalocean.yaml": 290,
    "github-api.json": 1_223,
    "google-calendar.yaml": 37,
    "jira.yaml": 499,
    "kubernetes-v1.10-2.0.yaml": 945,
    "link-example-3.0.json": 6,
    "openai-3.1.json": 288,
    "petstore-2.0.json": 3,
    "petstore-3.0.yaml": 19,
    "slack-2.0.json": 174,
    "stripe.yaml": 452,
    "twilio-api-v2010.json": 197,
    "uber-2.0.json": 5,
    "xkcd.yaml": 2,
}
#: Documents whose every operation is called.
CALLED: Final = ("petstore-3.0.yaml", "google-calendar.yaml", "uber-2.0.json")
_METHODS: Final = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})
_MOST_TOKENS: Final = 1_200

pytestmark = pytest.mark.long


def test_the_documents_have_every_operation_that_is_promised() -> None:
    assert sorted(path.name for path in DOCUMENTS.iterdir()) == sorted(OPERATIONS)
    assert sum(OPERATIONS.values()) == 4_527
    for name, number in OPERATIONS.items():
        assert len(list(_operations(name))) == number


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_imported_generated_and_listed(name: str, tmp_path: Path) -> None:
    done = import_openapi(tmp_path, str(DOCUMENTS / name), "--name", "api")
    assert done.code == 0, done.text
    list_every_tool(tmp_path)
    manifest = load(tmp_path / "tools.yaml").manifest
    _hold_schemas(manifest.tools, manifest.defs)

    generated = toolfold(tmp_path, "generate", "--quiet")
    assert generated.code == 0, generated.text
    package = next(path.name for path in (tmp_path / "generated").glob("*_mcp"))
    assert python(tmp_path / "generated", "-c", IMPORT_ALL, package).code == 0

    listed = [tool for tool in listed_tools(tmp_path / "generated", package) if _is_own(tool)]
    assert len(listed) == OPERATIONS[name]
    assert not [tool["name"] for tool in listed if "outputSchema" in tool]
    again = import_openapi(tmp_path)
    assert again.out == f"servers/api.yaml: unchanged: {_tools(OPERATIONS[name])}\n"


def test_github_costs_little_to_start_with(tmp_path: Path) -> None:
    document = str(DOCUMENTS / "github-api.json")
    assert import_openapi(tmp_path, document, "--name", "github").code == 0
    report = json.loads(toolfold(tmp_path, "budget", "--format", "json").out)
    views = {cost["name"]: cost["tokens"] for cost in report["costs"]}

    first = next(tokens for name, tokens in views.items() if name.startswith("capabilities()"))
    assert views["surface"] + first <= _MOST_TOKENS


@pytest.mark.parametrize("name", CALLED)
def test_every_operation_is_called_and_answered_as_its_document_says(
    name: str, tmp_path: Path
) -> None:
    assert import_openapi(tmp_path, str(DOCUMENTS / name), "--name", "api").code == 0
    manifest = load(tmp_path / "tools.yaml").manifest
    calls: dict[str, Json] = {}
    answers: dict[str, Any] = {}
    for tool, declared in manifest.tools.items():
        backend = declared.backend
        assert backend is not None
        schema = with_definitions(declared.input_schema or {}, manifest.defs)
        arguments = example_arguments(schema, [])
        assert arguments is not None, tool
        calls[tool] = arguments
        answers[f"{backend.operation}"] = _smallest(declared.answer_schema, manifest.defs)
    with _answering(name, answers) as (address, unknown):
        text = (tmp_path / "tools.yaml").read_text(encoding="utf-8")
        text = re.sub(r"    url: .*", f'    url: "{address}"', text)
        text = re.sub(r"    auth: .*\n", "", text)
        (tmp_path / "tools.yaml").write_text(text, encoding="utf-8")
        assert toolfold(tmp_path, "generate", "--quiet").code == 0
        results = anyio.run(_call_all, tmp_path, calls)

    assert unknown == []
    assert {tool: text for tool, (is_error, text) in results.items() if is_error} == {}
    notes = {tool: text for tool, (_, text) in results.items() if "differs from" in text}
    assert notes == {}
    assert len(results) == OPERATIONS[name]


async def _call_all(folder: Path, calls: dict[str, Json]) -> dict[str, tuple[bool, str]]:
    """Whether each call failed, and what it was answered."""
    package = next(path.name for path in (folder / "generated").glob("*_mcp"))
    command = package_command(package)
    server = over_stdio(command, **import_path(folder / "generated"))
    results = {}
    async with connected(server) as client:
        for tool, arguments in calls.items():
            result = await client.call_tool(tool, arguments)
            texts = [getattr(part, "text", "") for part in result.content]
            results[tool] = (bool(result.is_error), "\n".join(texts))
    return results


@contextmanager
def _answering(name: str, answers: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The address of a server made from a document, and the requests that the document does not have."""
    known = [(method.upper(), _pattern(path)) for method, path, _ in _operations(name)]
    unknown: list[str] = []
    patterns = {line: _pattern(line.partition(" ")[2]) for line in answers}

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            path = unquote(urlsplit(self.path).path)
            if not any(
                self.command == method and pattern.fullmatch(path) for method, pattern in known
            ):
                unknown.append(f"{self.command} {path}")
            body = next(
                value
                for line, value in sorted(answers.items(), key=lambda pair: "{" in pair[0])
                if line.startswith(f"{self.command} ") and patterns[line].fullmatch(path)
            )
            data = b"" if body is None else json.dumps(body).encode()
            self.send_response(200 if data else 204)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing: the output of a test is its own."""

    for method in _METHODS:
        setattr(Handler, f"do_{method.upper()}", Handler._answer)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", unknown
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{[^{}]*\\\}", "[^/]+", re.escape(path)))


def _operations(name: str) -> Iterator[tuple[str, str, Any]]:
    paths = read_document(str(DOCUMENTS / name), 10, Warnings()).data["paths"]
    for path, item in paths.items():
        for method, operation in item.items():
            if method in _METHODS:
                yield method, path, operation


def _smallest(schema: Json | None, definitions: Json) -> Any:
    """A small value that a schema accepts; None where nothing is known of it."""
    if schema is None:
        return None
    wrapped = {"type": "object", "properties": {"it": schema}, "required": ["it"]}
    found = example_arguments(with_definitions(wrapped, definitions), [])
    assert found is not None
    return found["it"]


def _hold_schemas(tools: Any, definitions: Json) -> None:
    """Every schema is one of JSON Schema; what is shown of arguments is within its budget."""
    for definition in definitions.values():
        jsonschema_rs.meta.validate(definition)
    for name, tool in tools.items():
        for schema in (tool.input_schema, tool.answer_schema):
            if schema is not None:
                jsonschema_rs.meta.validate(schema)
        validator = jsonschema_rs.Draft202012Validator(
            with_definitions(tool.input_schema, definitions)
        )
        shown = shown_schema(tool.input_schema, definitions.get, 3_600).schema
        assert len(compact(shown)) <= 3_600
        arguments = dict.fromkeys(tool.input_schema.get("required", ()))
        trimmed = jsonschema_rs.Draft202012Validator(shown)
        assert trimmed.is_valid(arguments) or not validator.is_valid(arguments), name


def _is_own(tool: Json) -> bool:
    return str(tool["_meta"].get("toolfold/id", "")).startswith("api::")


def _tools(number: int) -> str:
    return f"{number} tool{'s' if number != 1 else ''}"
