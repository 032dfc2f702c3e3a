"""The wheel, installed bare: a generated server runs, and the generator says how to be had."""

import sys
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement

from tests.support.commands import must, run
from tests.support.projects import ROOT
from tests.support.servers import Stdio

#: The bytecode beside the modules is the one to use.
BESIDE: Final = {"PYTHONPYCACHEPREFIX": ""}
GENERATOR_ONLY: Final = ("jinja2", "yaml", "datamodel_code_generator", "ruff", "splintr")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps")
    must(folder, *pip, "-w", str(folder), str(ROOT))
    (built,) = folder.glob("toolfold-*.whl")
    return built


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a new environment with the wheel and its base dependencies."""
    folder = tmp_path_factory.mktemp("bare")
    must(folder, sys.executable, "-m", "venv", "--without-pip", str(folder))
    # The pip at hand installs into it: a pip of its own would cost seconds and prove nothing.
    pip = (sys.executable, "-m", "pip", "--python", str(folder / "bin/python"))
    must(folder, *pip, "install", "--quiet", "--no-deps", str(wheel))
    (site,) = folder.glob("lib/python*/site-packages")
    (installed,) = Distribution.discover(path=[str(site)])
    # Pip would fetch and unpack the very versions that are here.
    for dependency in _needed_by(installed).values():
        _link(dependency, site)
    return folder / "bin"


def _needed_by(wanted: Distribution, extras: tuple[str, ...] = ("",)) -> dict[str, Distribution]:
    """Every distribution that one requires with these extras, and those that they require."""
    needed: dict[str, Distribution] = {}
    for requirement in map(Requirement, wanted.requires or ()):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
            one = distribution(requirement.name)
            needed |= {one.name: one, **_needed_by(one, ("", *requirement.extras))}
    return needed


def _link(dependency: Distribution, site: Path) -> None:
    """Have every module of a distribution in `site`, with its bytecode."""
    for file in dependency.files or ():
        if ".." not in file.parts:
            (site / file).parent.mkdir(parents=True, exist_ok=True)
            (site / file).symlink_to(file.locate())


def test_the_wheel_carries_the_templates_and_nothing_generated(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        *("toolfold", "toolfold_runtime")
    }
    shipped = {name.removeprefix("toolfold/") for name in names if name.endswith(".jinja")}
    source = {p.relative_to(ROOT).as_posix() for p in ROOT.glob("templates/**/*.jinja")}
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
    assert run(bare, f"{bare}/python", "-c", code, environment=BESIDE).out == "[]\n"


def _assert_the_generated_server_answers(bare: Path, folder: Path) -> None:
    command = [f"{bare}/python", "-m", "tana_mcp.server"]
    environment = {"PYTHONPATH": str(ROOT / "generated"), "HOME": str(folder), **BESIDE}
    with Stdio(command, folder, **environment) as server:
        tools = server.listed_tools()
        result = server.request(1, "tools/call", name="tana_stats", arguments={})
        (hello,) = server.wait("hello")
        assert (server.end(), server.log) == (0, "")
    assert hello["result"]["serverInfo"]["name"] == "tana"
    names = [tool["name"] for tool in tools]
    assert len(names) == 17
    assert {"tana_search", "tana_capabilities", "tana_tool_schema"} <= set(names)
    assert not result.get("isError"), result


def _assert_generate_names_the_extra(bare: Path, folder: Path) -> None:
    for command in ("generate", "check"):
        wanted = (f"{bare}/toolfold", command, "-m", str(ROOT / "tools.yaml"))
        done = run(folder, *wanted, environment=BESIDE)
        assert done.code == 2
        assert done.err == (
            f"toolfold {command} needs the generator: pip install 'toolfold[generate]'\n"
        )


def _assert_help_works(bare: Path) -> None:
    done = run(bare, f"{bare}/toolfold", "--help", environment=BESIDE)
    assert (done.code, done.err) == (0, "")
    for command in ("init", "generate", "check", "schema", "serve", "try"):
        assert command in done.out
    version = run(bare, f"{bare}/toolfold", "--version", environment=BESIDE)
    assert version.out.startswith("toolfold ")
