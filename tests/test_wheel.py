"""The wheel, installed bare: a generated server runs, and the generator says how to be had."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest

REPOSITORY: Final = Path(__file__).parents[1]
GENERATOR_ONLY: Final = ("jinja2", "yaml", "datamodel_code_generator", "ruff", "splintr")
_LIST: Final = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "tools/call",
        "params": {"name": "tana_stats", "arguments": {}},
    },
)


def run(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    arguments = [str(part) for part in command]
    return subprocess.run(arguments, capture_output=True, text=True, check=False, **options)


def must(*command: str | Path) -> None:
    done = run(*command)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    must(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, REPOSITORY)
    (built,) = folder.glob("toolfold-*.whl")
    return built


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a new environment with the wheel and its base dependencies."""
    folder = tmp_path_factory.mktemp("bare")
    must(sys.executable, "-m", "venv", "--without-pip", folder)
    # The pip at hand installs into it: a pip of its own would cost seconds and prove nothing.
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        folder / "bin/python",
        "install",
        "--quiet",
    ]
    must(*pip, "-c", REPOSITORY / "constraints.txt", wheel)
    return folder / "bin"


def test_the_wheel_carries_the_templates_and_nothing_generated(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        *("toolfold", "toolfold_runtime")
    }
    shipped = {name.removeprefix("toolfold/") for name in names if name.endswith(".jinja")}
    source = {p.relative_to(REPOSITORY).as_posix() for p in REPOSITORY.glob("templates/**/*.jinja")}
    assert shipped == source
    assert "toolfold/py.typed" in names
    assert "toolfold_runtime/py.typed" in names


def test_the_bare_wheel_serves_and_explains_itself(bare: Path, tmp_path: Path) -> None:
    """One test, because the environment costs seconds: each step is a promise of its own."""
    _assert_the_generator_is_absent(bare)
    _assert_the_generated_server_answers(bare, tmp_path)
    _assert_generate_names_the_extra(bare, tmp_path)
    _assert_help_works(bare)


def _assert_the_generator_is_absent(bare: Path) -> None:
    code = (
        "import importlib.util as u, sys\n"
        f"print([n for n in {GENERATOR_ONLY!r} if u.find_spec(n)])\n"
    )
    assert run(bare / "python", "-c", code).stdout == "[]\n"


def _assert_the_generated_server_answers(bare: Path, folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "generated"), "HOME": str(folder)}
    process = subprocess.Popen(
        [bare / "python", "-m", "tana_mcp.server"],
        cwd=folder,
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answers: dict[int, Any] = {}
    for message in _LIST:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        if "id" in message:
            line = process.stdout.readline()
            assert line, process.communicate()
            answer = json.loads(line)
            answers[answer["id"]] = answer["result"]
    rest, said = process.communicate(timeout=60)
    assert (rest, said, process.returncode) == ("", "", 0)
    assert answers[1]["serverInfo"]["name"] == "tana"
    names = [tool["name"] for tool in answers[2]["tools"]]
    assert len(names) == 17
    assert {"tana_search", "tana_capabilities", "tana_tool_schema"} <= set(names)
    assert not answers[3].get("isError"), answers[3]


def _assert_generate_names_the_extra(bare: Path, folder: Path) -> None:
    for command in ("generate", "check"):
        done = run(bare / "toolfold", command, "-m", REPOSITORY / "tools.yaml", cwd=folder)
        assert done.returncode == 2
        assert done.stderr == (
            f"toolfold {command} needs the generator: pip install 'toolfold[generate]'\n"
        )


def _assert_help_works(bare: Path) -> None:
    done = run(bare / "toolfold", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    for command in ("init", "generate", "check", "schema", "serve", "try"):
        assert command in done.stdout
    assert run(bare / "toolfold", "--version").stdout.startswith("toolfold ")
