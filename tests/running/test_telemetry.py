"""What an operator sees: spans, metrics and log lines, by a real exporter and a real collector."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from tests.running.material import tool
from tests.support.commands import python
from tests.support.projects import ROOT, Json, Project, import_path, served_by
from tests.support.servers import Running, Stdio

TRACE: Final = "0af7651916cd43dd8448eb211c80319c"
PARENT: Final = "b7ad6b7169203331"
TOOLS: Final = {
    "find": tool(
        parameters={"query": {"type": "string", "required": True}},
        returns={"type": "array"},
        cache={"ttl": 60},
    ),
    "fails": tool(effect="write"),
    "hangs": tool(timeout=0.05),
    "inner": tool(),
    "draw": tool(content="mixed"),
}
IMPLEMENTATION: Final = """
import asyncio
from opentelemetry import trace
from toolfold_runtime import Image

class Tools:
    def draw(self, params):
        return ["a secret caption", Image(b"GIF89a" + bytes(3000))]

    def find(self, params):
        return ["a secret result"]

    def fails(self, params):
        raise ValueError("secret exception")

    async def hangs(self, params):
        await asyncio.Event().wait()

    def inner(self, params):
        with trace.get_tracer("mine").start_as_current_span("inside"):
            return 1
"""


class Collected:
    """Everything that a collector was sent, in plain form."""

    def __init__(self) -> None:
        self.spans: dict[str, Json] = {}
        self.metrics: dict[str, list[Json]] = {}
        self.service = ""
        self.raw = ""

    def take(self, line: str) -> None:
        self.raw += line
        batch = json.loads(line)
        for resource in batch.get("resourceSpans", []):
            self.service = attributes(resource["resource"])["service.name"]
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    self.spans.setdefault(span["name"], span)
        for resource in batch.get("resourceMetrics", []):
            for scope in resource["scopeMetrics"]:
                for metric in scope["metrics"]:
                    data = next(value for value in metric.values() if isinstance(value, dict))
                    self.metrics[metric["name"]] = data["dataPoints"]

    def points(self, name: str) -> dict[str, float]:
        """The points of a metric by their labels."""
        return {
            " ".join(str(value) for value in attributes(point).values()): float(
                str(next(point[key] for key in ("asInt", "asDouble", "count") if key in point))
            )
            for point in self.metrics[name]
        }


def attributes(record: Json) -> Json:
    return {
        item["key"]: next(iter(item["value"].values())) for item in record.get("attributes", [])
    }


@contextmanager
def collecting() -> Iterator[tuple[str, Collected]]:
    """The address of a collector, and what it was sent once the block has ended."""
    found = Collected()
    with Running([sys.executable, "-m", "tests.running.collector"], ROOT) as collector:
        port = collector.out.until("")[0]
        yield f"http://127.0.0.1:{port}", found
        collector.process.terminate()
    for line in collector.out.lines[1:]:
        found.take(line)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return served_by(tmp_path_factory.mktemp("telemetry"), TOOLS, IMPLEMENTATION)


def session(made: Project, *arguments: str, **environment: str) -> Stdio:
    """Some calls, one of them with a trace of the client's."""
    with Stdio.of(made, *arguments, **environment) as server:
        params = {
            "name": "find",
            "arguments": {"query": "a secret query"},
            "_meta": {"traceparent": f"00-{TRACE}-{PARENT}-01"},
        }
        server.send({"id": 1, "method": "tools/call", "params": params})
        server.wait(1)
        server.call(2, "run_read", tool="find", arguments={"query": "a secret query"})
        server.wait(2)
        server.call(3, "find", query=7)
        server.call(4, "fails")
        server.call(5, "hangs")
        server.call(6, "inner")
        server.call(7, "nothing")
        server.call(8, "draw")
        server.wait(3, 4, 5, 6, 7, 8)
        assert server.end() == 0
    return server


@pytest.fixture(scope="module")
def collected(made: Project) -> Collected:
    with collecting() as (address, found):
        session(made, OTEL_EXPORTER_OTLP_ENDPOINT=address)
    return found


def test_every_call_has_a_span_with_outcome_cache_state_and_sizes(collected: Collected) -> None:
    found = attributes(collected.spans["tool.exec.find"])

    assert found["toolfold.outcome"] == "ok"
    assert found["toolfold.cache"] == "miss"
    assert found["toolfold.effect"] == "read"
    assert int(found["toolfold.arguments.bytes"]) == len('{"query":"a secret query"}')
    assert int(found["toolfold.result.bytes"]) == len('["a secret result"]')
    drawn = attributes(collected.spans["tool.exec.draw"])
    assert 4_000 < int(drawn["toolfold.result.bytes"]) < 4_200
    failed = collected.spans["tool.exec.fails"]
    assert attributes(failed)["error.type"] == "backend_failed"
    assert failed["status"]["code"] == "STATUS_CODE_ERROR"
    late = collected.spans["tool.exec.hangs"]
    assert attributes(late)["toolfold.outcome"] == "timeout"
    assert int(late["endTimeUnixNano"]) - int(late["startTimeUnixNano"]) > 40_000_000


def test_spans_belong_to_the_clients_trace_and_enclose_the_methods_own(
    collected: Collected,
) -> None:
    import base64

    span, request = collected.spans["tool.exec.find"], collected.spans["tools/call find"]

    assert base64.b64decode(span["traceId"]).hex() == TRACE
    assert base64.b64decode(request["parentSpanId"]).hex() == PARENT
    assert span["parentSpanId"] == request["spanId"]
    inside, around = collected.spans["inside"], collected.spans["tool.exec.inner"]
    assert inside["parentSpanId"] == around["spanId"]


def test_no_value_of_an_argument_a_result_or_an_exception_leaves_the_server(
    collected: Collected,
) -> None:
    assert "tool.exec.find" in collected.raw
    assert "secret" not in collected.raw


def test_metrics_count_calls_look_ups_and_sizes(collected: Collected) -> None:
    calls = collected.points("toolfold.tool.calls")
    assert calls == {
        "find ok miss": 1,
        "find ok hit": 1,
        "find invalid_arguments off": 1,
        "fails backend_failed off": 1,
        "hangs timeout off": 1,
        "inner ok off": 1,
        "draw ok off": 1,
    }
    assert sum(collected.points("toolfold.tool.duration").values()) == 7
    assert collected.points("toolfold.tool.result.size") == {"find": 2, "inner": 1, "draw": 1}
    lookups = collected.points("toolfold.cache.lookups")
    assert (lookups["results hit"], lookups["results miss"]) == (1, 1)
    assert {key.split()[0] for key in lookups} == {"results", "schemas", "tools", "views"}
    # A tool that writes emptied it.
    assert collected.points("toolfold.cache.size") == {"entries": 0, "bytes": 0}


def test_the_service_is_called_like_the_server(collected: Collected) -> None:
    assert collected.service == "running"


def test_values_are_recorded_where_that_is_switched_on(made: Project) -> None:
    with collecting() as (address, found):
        session(
            made,
            OTEL_EXPORTER_OTLP_ENDPOINT=address,
            OTEL_SERVICE_NAME="mine",
            TOOLFOLD_TRACE_VALUES="1",
        )

    shown = attributes(found.spans["tool.exec.find"])
    assert shown["toolfold.arguments"] == '{"query":"a secret query"}'
    assert shown["toolfold.result"] == '["a secret result"]'
    drawn = attributes(found.spans["tool.exec.draw"])
    assert drawn["toolfold.result"] == "a secret caption\nimage/gif, 3,006 bytes"
    assert found.service == "mine"


def test_a_collector_that_is_not_there_holds_nothing_up(made: Project) -> None:
    server = session(
        made, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9", OTEL_EXPORTER_OTLP_TIMEOUT="1"
    )

    assert server.process.returncode == 0


def test_without_a_collector_no_sdk_is_loaded(made: Project) -> None:
    code = (
        "import sys; sys.argv = ['x']\n"
        f"from {made.package}.server import main\n"
        "main([])\n"
        "print([m for m in sys.modules if m.startswith(('opentelemetry.sdk', 'google'))],"
        " file=sys.stderr)"
    )
    done = python(made.folder, "-c", code, environment=import_path(made.output))

    assert done.code == 0, done.err
    assert done.err.splitlines()[-1] == "[]"


# The log


def records(server: Stdio) -> list[Any]:
    return [json.loads(line) for line in server.err.lines]


def test_failures_are_logged_as_json_with_the_traceback_for_the_author(made: Project) -> None:
    (failure,) = records(session(made))

    assert failure["level"] == "error"
    assert (failure["event"], failure["tool"]) == ("the method failed", "fails")
    assert failure["trace"].endswith("ValueError: secret exception\n")
    assert "T" in failure["time"]


def test_every_call_is_logged_where_that_is_asked_for(made: Project) -> None:
    found = records(session(made, "--log-level", "info"))

    calls = [(r["tool"], r["outcome"], r["cache"]) for r in found if r["event"] == "call"]
    assert sorted(calls) == [
        ("draw", "ok", "off"),
        ("fails", "backend_failed", "off"),
        ("find", "invalid_arguments", "off"),
        ("find", "ok", "hit"),
        ("find", "ok", "miss"),
        ("hangs", "timeout", "off"),
        ("inner", "ok", "off"),
    ]
    assert all(r["ms"] >= 0 for r in found if r["event"] == "call")
    (lookups,) = [r for r in found if r["event"] == "look-ups"]
    assert lookups["results"] == {"hits": 1, "misses": 1}
    assert "secret query" not in "".join(map(str, found))


def test_the_log_is_text_where_that_is_asked_for(made: Project) -> None:
    said = session(made, "--log", "text").log

    assert said.startswith("error: the method failed tool=fails\nTraceback")
