"""Speed by construction: what did not change is not made again, and nothing loads unasked."""

import hashlib
import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from tests.importing.hard_cases import HARD_CASES
from tests.importing.material import imported
from tests.support.commands import python, toolfold
from tests.support.projects import Json

NUMBER: Final = 160
P7: Final = 'p7: {"type": "string", "maxLength": 7}'
_HEAVY: Final = frozenset({"yaml", "pydantic", "jinja2", "datamodel_code_generator", "mcp"})

_SMALL: Final = [case.tool for case in HARD_CASES if len(str(case.schema)) < 5000]

#: Runs a command, then prints its exit code, the modules it loaded and the programs it started.
_OBSERVED: Final = """
import contextlib, io, json, sys
started = []
def hook(event, arguments):
    if event == "subprocess.Popen":
        started.append([str(part) for part in arguments[1]])
sys.addaudithook(hook)
from toolfold.cli.main import main
said = io.StringIO()
with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
    code = main(sys.argv[1:])
print(json.dumps([code, said.getvalue(), sorted(sys.modules), started]))
"""


def thing(number: int) -> Json:
    """One tool of many; every fifth is a hard case under another name."""
    name = f"thing_{number}"
    if number % 5 == 0:
        hard = _SMALL[number // 5 % len(_SMALL)]
        return {**hard, "name": name, "title": f"Thing {number}"}
    item = {"type": "object", "properties": {"v": {"type": "integer"}}}
    properties = {
        f"p{number}": {"type": "string", "maxLength": number},
        "items": {"type": "array", "items": item},
    }
    schema = {"type": "object", "properties": properties, "required": ["items"]}
    return {"name": name, "description": f"Do thing {number}.", "inputSchema": schema}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many tools, imported and generated once."""
    folder = tmp_path_factory.mktemp("made")
    imported(folder, [thing(number) for number in range(NUMBER)], "many")
    code, said, _, started = observed(folder, "generate")
    assert code == 0, said
    (folder / "started.json").write_text(json.dumps(started), encoding="utf-8")
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may change, with what the first run stored."""
    copy = shutil.copytree(made, tmp_path / "project")
    shutil.copy(store_of(made), store_of(copy))
    return copy


def store_of(project: Path) -> Path:
    """Where the results of a project are stored."""
    name = hashlib.sha256(os.fsencode((project / "tools.yaml").resolve())).hexdigest()[:32]
    return Path(os.environ["TOOLFOLD_CACHE"], f"{name}.memo")


def observed(folder: Path, *arguments: str) -> tuple[int, str, list[str], list[list[str]]]:
    done = python(folder, "-c", _OBSERVED, *arguments)
    assert done.code == 0, done.err
    code, said, modules, started = json.loads(done.out)
    return code, said, modules, started


def heavy(modules: list[str]) -> frozenset[str]:
    return _HEAVY & set(modules)


def stored(project: Path) -> dict[str, str]:
    """The stored texts by key, which begins with their kind."""
    lines = store_of(project).read_text(encoding="utf-8").split("\n")[1:]
    return {key: text for key, _, text in (line.split(" ", 2) for line in lines)}


def edit(project: Path, old: str, new: str) -> None:
    manifest = project / "tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    assert text.count(old) == 1
    manifest.write_text(text.replace(old, new), encoding="utf-8")


def models(folder: Path) -> dict[str, bytes]:
    found = (folder / "generated/many_mcp/models").glob("thing_*.py")
    return {path.name: path.read_bytes() for path in found}


def test_only_the_new_shapes_of_an_edited_tool_are_modelled(project: Path) -> None:
    before = stored(project)
    edit(project, P7, 'p7: {"type": "integer", "minimum": 77}')

    said = toolfold(project, "generate")

    assert said.code == 0
    new = {key: text for key, text in stored(project).items() if key not in before}
    kinds = Counter(key.partition(":")[0] for key in new)
    (shape,) = (text for key, text in new.items() if key.startswith("shape:"))
    assert "ge=77" in shape
    assert {kind: kinds[kind] for kind in ("tool", "module", "shape")} == {
        "tool": 1,
        "module": 1,
        "shape": 1,
    }


def test_a_new_parameter_of_a_known_shape_needs_no_model_generator(project: Path) -> None:
    edit(project, P7, f'{P7}\n        another: {{"type": "string", "maxLength": 9}}')

    code, said, modules, _ = observed(project, "generate")

    assert code == 0, said
    assert "datamodel_code_generator.parser" not in modules
    text = (project / "generated/many_mcp/models/thing_7.py").read_text(encoding="utf-8")
    assert "another: Annotated[str | None, Field(max_length=9)] = None" in text


def test_only_the_files_of_an_edited_tool_are_written_again(project: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in (project / "generated").rglob("*") if p.is_file()}
    contents = models(project)
    edit(project, P7, 'p7: {"type": "boolean"}')

    toolfold(project, "generate")

    after = models(project)
    assert {name for name in after if after[name] != contents[name]} == {"thing_7.py"}
    changed = {p.name for p, written in before.items() if p.stat().st_mtime_ns != written}
    assert "thing_7.py" in changed
    assert not [name for name in changed if name.startswith("thing_") and "_7." not in name]


def test_a_new_summary_needs_no_model_generator(project: Path) -> None:
    edit(project, "    summary: Do thing 7\n", "    summary: Do something else\n")

    code, said, modules, _ = observed(project, "generate")

    assert code == 0, said
    assert "datamodel_code_generator" not in modules
    page = (project / "generated/docs/tools/thing_7.md").read_text(encoding="utf-8")
    assert "Do something else" in page


def test_a_tool_that_is_taken_out_needs_no_model_generator_and_can_be_put_back(
    project: Path,
) -> None:
    manifest = project / "tools.yaml"
    whole = manifest.read_text(encoding="utf-8")
    start, end = whole.index("  thing_7:\n"), whole.index("  thing_8:\n")
    manifest.write_text(whole[:start] + whole[end:], encoding="utf-8")
    _, _, without, _ = observed(project, "generate")
    assert not (project / "generated/many_mcp/models/thing_7.py").exists()
    manifest.write_text(whole, encoding="utf-8")

    assert toolfold(project, "generate").code == 0

    assert (project / "generated/many_mcp/models/thing_7.py").exists()
    assert "datamodel_code_generator" not in without


@pytest.mark.parametrize("command", ["check", "generate"])
def test_with_nothing_changed_nothing_heavy_is_loaded(command: str, made: Path) -> None:
    code, said, modules, started = observed(made, command)

    assert code == 0, said
    assert not heavy(modules)
    assert started == []


def test_a_check_that_finds_a_change_loads_what_it_needs_and_says_so(project: Path) -> None:
    (project / "generated/many_mcp/models/thing_7.py").unlink()

    code, said, modules, _ = observed(project, "check")

    assert code == 1
    assert "generated/many_mcp/models/thing_7.py: missing" in said
    assert "datamodel_code_generator" not in modules


_CALL: Final = """
import asyncio, json, sys
from many_mcp.server import CATALOG
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.backends.python import backend_of

class Echo:
    def __getattr__(self, method):
        return lambda params: params

def models():
    return sorted(name for name in sys.modules if name.startswith("many_mcp.models."))

before = models()
for tool in json.loads(sys.argv[1]):
    asyncio.run(Executor(CATALOG, backend_of(CATALOG, Echo())).call(CATALOG.entry(tool), {"items": [{"v": 1}]}))
print(json.dumps([before, models()]))
"""


@pytest.mark.parametrize("tools", [["thing_7"], ["many::thing_7", "thing_159"]])
def test_a_call_imports_the_models_of_its_tool_and_of_no_other(
    tools: list[str], made: Path
) -> None:
    done = python(made / "generated", "-c", _CALL, json.dumps(tools))

    assert done.code == 0, done.err
    before, after = json.loads(done.out)
    wanted = {f"many_mcp.models.{tool.removeprefix('many::')}" for tool in tools}
    assert before == []
    assert set(after) == wanted


def test_many_tools_are_modelled_by_two_processes_and_formatted_in_two_passes(made: Path) -> None:
    started: list[list[str]] = json.loads((made / "started.json").read_text(encoding="utf-8"))

    assert (
        len([command for command in started if "toolfold.emit.models.worker" in str(command)]) == 1
    )
    # Models, and the modules that are never stored.
    assert len([command for command in started if "format" in command]) == 2
    assert len(started) == 3


@pytest.mark.parametrize("size", [1, 60])
def test_two_processes_write_the_same_bytes_as_one(size: int, made: Path, tmp_path: Path) -> None:
    numbers = list(range(0, NUMBER, 60)) if size == 1 else list(range(NUMBER))
    expected: dict[str, bytes] = {}
    for start in range(0, len(numbers), size):
        folder = tmp_path / str(start)
        folder.mkdir()
        chosen = [thing(number) for number in numbers[start : start + size]]
        imported(folder, {"server": "many", "tools": chosen}, "many")
        assert toolfold(folder, "generate", "--quiet", "--no-cache").code == 0
        expected |= models(folder)

    together = models(made)

    assert len(expected) == len(numbers)
    assert {name: together[name] for name in expected} == expected


def test_two_interpreters_generate_the_same_bytes_with_and_without_a_cache(
    made: Path, tmp_path: Path
) -> None:
    shutil.copy(made / "tools.yaml", tmp_path)
    environment = {"PYTHONHASHSEED": "4242", "LC_ALL": "C"}
    options = ("-m", "toolfold", "generate", "--quiet", "--no-cache")

    done = python(tmp_path, *options, environment=environment)

    assert done.code == 0, done.err
    assert not store_of(tmp_path).exists()
    assert contents(tmp_path / "generated") == contents(made / "generated")


def contents(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_no_process_ever_runs_code_that_lies_beside_the_manifest(
    made: Path, tmp_path: Path
) -> None:
    shutil.copy(made / "tools.yaml", tmp_path)
    trap = "import os\nos.close(os.open('ran', os.O_CREAT))\nraise SystemExit('it was run')\n"
    for module in ("dataclasses", "ast", "inflect", "toolfold", "datamodel_code_generator"):
        (tmp_path / f"{module}.py").write_text(trap, encoding="utf-8")
    script = "import sys; sys.path.remove(''); from toolfold.cli.main import main; sys.exit(main())"

    done = python(tmp_path, "-c", script, "generate", "--quiet", "--no-cache")

    assert done.code == 0, done.err
    assert not (tmp_path / "ran").exists()


def test_a_batch_that_fails_in_the_second_process_is_reported_and_writes_nothing(
    made: Path, tmp_path: Path
) -> None:
    shutil.copy(made / "tools.yaml", tmp_path)
    environment: dict[str, Any] = {"PYTHONPATH": str(tmp_path / "broken")}
    (tmp_path / "broken").mkdir()
    broken = (
        "import sys\n"
        "if 'toolfold.emit.models.worker' in ' '.join(sys.orig_argv):\n"
        "    raise SystemExit('no memory left')\n"
    )
    (tmp_path / "broken/sitecustomize.py").write_text(broken, encoding="utf-8")
    options = ("-m", "toolfold", "generate", "--quiet", "--no-cache")

    done = python(tmp_path, *options, environment=environment)

    assert done.code == 2
    assert "no memory left" in done.err
    assert not (tmp_path / "generated").exists()
