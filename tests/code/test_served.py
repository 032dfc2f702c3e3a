"""What clients see of programs: the list, the inventory, stubs, spans; and servers that cannot run any."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.code.conftest import Run
from tests.code.material import IMPLEMENTATION, MANIFEST, TOOLS
from tests.running.test_telemetry import attributes, collecting
from tests.support import clients
from tests.support.commands import python, toolfold, toolfold_process
from tests.support.projects import (
    ROOT,
    Json,
    Project,
    import_path,
    project,
    served_by,
    small_manifest,
)
from tests.support.servers import Stdio


def with_code(mode: str, **more: Any) -> Json:
    return small_manifest("one", "two") | {"disclosure": {"code": mode, **more}}


def names_of(folder: Path, manifest: Json) -> list[str]:
    return [tool["name"] for tool in json.loads(_facts(folder, manifest))["meta_tools"]]


def _facts(folder: Path, manifest: Json) -> str:
    made = project(folder, manifest)
    return (made.output / made.package / "catalog/server.json").read_text(encoding="utf-8")


def test_code_mode_is_off_by_default_and_then_costs_nothing(tmp_path: Path) -> None:
    trees = []
    for name, more in (("plain", {}), ("off", {"disclosure": {"code": "off"}})):
        folder = tmp_path / name
        folder.mkdir()
        manifest = small_manifest("one") | more
        (folder / "tools.yaml").write_text(json.dumps(manifest), encoding="utf-8")
        assert toolfold(folder, "generate", "--quiet").code == 0
        written = [path for path in (folder / "generated").rglob("*") if path.is_file()]
        trees.append({str(path.relative_to(folder)): path.read_bytes() for path in written})
    plain, off = trees

    assert plain == off
    facts = next(text for name, text in plain.items() if name.endswith("catalog/server.json"))
    assert b"run_code" not in facts
    assert not [name for name in plain if "stubs" in name]


@pytest.mark.parametrize(
    ("mode", "meta", "names"),
    [
        ("read", {}, ["run_code"]),
        ("write", {}, ["run_code", "run_code_write"]),
        ("write", {"code": "off"}, ["run_code_write"]),
        ("write", {"code": {"name": "program"}, "code_write": "off"}, ["program"]),
        ("read", {"code": "off"}, []),
    ],
)
def test_the_tools_for_programs_can_be_named_and_switched_off(
    mode: str, meta: Json, names: list[str], tmp_path: Path
) -> None:
    found = names_of(tmp_path, with_code(mode, meta=meta))

    assert found[5:] == names


def test_run_code_is_in_every_list(tmp_path: Path) -> None:
    made = project(tmp_path, with_code("read"))

    for exposure in ("direct", "progressive", "hybrid"):
        listed = clients.names(made.server(exposure))
        assert "run_code" in listed
        assert "run_read" in listed


def test_a_stub_is_shown_by_the_schema_tool(call: Run) -> None:
    text = call("tool_schema", {"tool": "get-order, find_orders", "detail": "stub"}).text

    assert text == (
        "class Order(TypedDict):\n    id: str\n    state: Literal['open', 'closed']\n"
        "    total: float\n    note: NotRequired[str | None]\n"
        'def get_order(*, order_id: str, from_: str = ...) -> Order:\n    """One order."""\n'
        "def find_orders(*, state: Literal['open', 'closed'] = ..., limit: int = 20) -> list[Order]:\n"
        '    """Find orders."""'
    )


def test_without_programs_there_are_no_stubs_to_ask_for(tmp_path: Path) -> None:
    server = project(tmp_path, small_manifest("one")).server()
    answer = clients.call(server, "tool_schema", {"tool": "one", "detail": "stub"})

    assert '"stub" is not one of "summary", "schema", "full"' in answer.text


def test_instructions_say_when_to_write_a_program(tmp_path: Path) -> None:
    facts = json.loads(_facts(tmp_path, with_code("read")))

    assert (
        "do what takes several reading calls in one program with run_code"
        in (facts["instructions"]["progressive"])
    )


def test_the_command_line_runs_programs_too(orders: Project) -> None:
    code = json.dumps({"code": "[order['id'] for order in find_orders(limit=2)]"})
    done = toolfold_process(orders.folder, "try", "run_code", code)

    assert (done.code, done.out) == (0, '{"result":["A-0","A-1"],"calls":1}\n')


def test_the_generated_package_runs_programs_over_stdio(orders: Project) -> None:
    with Stdio.of(orders) as server:
        server.call(1, "run_code", code="list_() + list_()")
        (answer,) = server.wait(1)

    assert json.loads(answer["result"]["content"][0]["text"]) == {"result": 14, "calls": 2}


_WITHOUT_MONTY = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pydantic_monty":
            raise ModuleNotFoundError(name)

import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "pydantic_monty" else real(name, *more)
sys.meta_path.insert(0, Missing())
from {package}.server import main
sys.exit(main([]))
"""


def test_without_what_runs_programs_a_server_says_how_to_install_it(orders: Project) -> None:
    code = _WITHOUT_MONTY.replace("{package}", orders.package)
    done = python(ROOT, "-c", code, environment=import_path(orders.output))

    assert done.code == 1
    assert (
        "run_code and run_code_write needs toolfold[code]: pip install 'toolfold[code]'" in done.err
    )
    assert "Traceback" not in done.err


def test_nothing_of_the_sandbox_is_imported_before_a_program_runs(orders: Project) -> None:
    code = f"import sys, {orders.package}.server, toolfold_runtime.code.programs\nprint('pydantic_monty' in sys.modules)"

    assert python(ROOT, "-c", code, environment=import_path(orders.output)).out == "False\n"


def test_calls_are_children_of_the_span_of_their_program(orders: Project) -> None:
    with collecting() as (address, collected), contextlib.ExitStack() as session:
        server = session.enter_context(Stdio.of(orders, OTEL_EXPORTER_OTLP_ENDPOINT=address))
        server.call(1, "run_code", code="find_orders(limit=1)\nlist_()")
        server.wait(1)
        assert server.end() == 0

    program = collected.spans["tool.exec.run_code"]
    said = attributes(program)
    assert (said["toolfold.program.calls"], said["toolfold.outcome"]) == ("2", "ok")
    for name in ("find_orders", "list"):
        assert collected.spans[f"tool.exec.{name}"]["parentSpanId"] == program["spanId"]


def test_usage_counts_the_calls_of_a_program(orders: Project, tmp_path: Path) -> None:
    store = tmp_path / "usage.db"
    with Stdio.of(orders, "--usage", str(store)) as server:
        server.call(1, "run_code", code="[list_() for n in range(3)]")
        server.wait(1)
        assert server.end() == 0
    done = toolfold(orders.folder, "usage", "--usage", str(store), "--format", "csv")

    assert any(line.startswith("list,3") for line in done.out.splitlines()), done.out


def test_stubs_are_written_once_and_over_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text(json.dumps(small_manifest("one")), encoding="utf-8")
    (tmp_path / "mine.pyi").write_text("# mine\n", encoding="utf-8")

    assert toolfold(tmp_path, "stubs", "-o", "all.pyi").out == "all.pyi: written\n"
    assert toolfold(tmp_path, "stubs", "-o", "all.pyi").out == "all.pyi: unchanged\n"
    assert "not written by `toolfold stubs`" in toolfold(tmp_path, "stubs", "-o", "mine.pyi").err
    assert (tmp_path / "mine.pyi").read_text(encoding="utf-8") == "# mine\n"
    assert (
        (tmp_path / "all.pyi")
        .read_text(encoding="utf-8")
        .endswith('def one(*, v: str = ...) -> Any:\n    """Tool one"""\n')
    )


def test_the_clock_runs_where_the_manifest_allows_it(tmp_path: Path) -> None:
    bounds = MANIFEST | {"execution": {"code": {"clock": "on"}}}
    made = served_by(tmp_path, TOOLS, IMPLEMENTATION, **bounds)
    with Stdio.of(made) as server:
        server.call(1, "run_code", code="import datetime\ndatetime.date.today().year >= 2026")
        (answer,) = server.wait(1)

    assert json.loads(answer["result"]["content"][0]["text"]) == {"result": True}
