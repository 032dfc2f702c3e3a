"""Who may import whom, and what is never loaded."""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from jinja2 import Environment, nodes

from tests.support.commands import python
from tests.support.golden import write_packages

ROOT = Path(__file__).parents[1]
GENERATOR = ROOT / "generator" / "toolfold"
RUNTIME = ROOT / "runtime" / "toolfold_runtime"
STANDARD = sys.stdlib_module_names

# Beside the standard library and the package itself.
MAY_IMPORT: Final = {
    "errors": set(),
    "manifest": {"toolfold.errors", "pydantic", "pydantic_core", "yaml"},
    "plan": {
        "toolfold.manifest",
        "toolfold.errors",
        "jsonschema_rs",
        "splintr",
        "pydantic",  # whose own attributes no field may hide
        "pydantic_core",  # its JSON writer
        "toolfold_runtime.catalog.catalog.CATALOG_FORMAT",  # what it bakes for
        "toolfold_runtime.search",  # what cuts the index cuts the query
        "numpy",
        "toolfold_runtime.catalog.catalog.full",  # the full view as it is put together, to count it
        "toolfold_runtime.validation",
        "toolfold.memo.keys",
    },
    "implementation": {"toolfold.errors", "toolfold.plan.text.header", "toolfold.emit"},
    "emit": {
        "toolfold.plan",
        "toolfold.errors",
        "toolfold.memo",
        "jinja2",
        "datamodel_code_generator",
        "ruff",
    },
}
FILE_SYSTEM: Final = {"os", "io", "shutil", "tempfile", "glob", "subprocess", "sqlite3"}
GENERATED_MAY_IMPORT: Final = {"toolfold_runtime", "pydantic"}
# Where the runtime knows the SDK and what it serves with.
SDK: Final = {"mcp", "mcp_types", "uvicorn", "starlette", "httpx2"}
KNOW_THE_SDK: Final = {"protocol.py", "http.py"}


def imports(path: Path) -> Iterator[str]:
    """Every absolute module that a file imports anywhere, `from` names included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def python_files(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def is_within(module: str, allowed: set[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in allowed)


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_package_imports_only_what_it_may(package: str) -> None:
    own = GENERATOR / package
    files = python_files(own) if own.is_dir() else [own.with_suffix(".py")]
    allowed = MAY_IMPORT[package] | {f"toolfold.{package}"}
    found = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in files
        for module in imports(path)
        if module.split(".")[0] not in STANDARD and not is_within(module, allowed)
    }

    assert files
    assert sorted(found) == []


def test_plan_does_not_touch_the_file_system() -> None:
    found = {
        f"{path.name}: {module}"
        for path in python_files(GENERATOR / "plan")
        for module in imports(path)
        if module.split(".")[0] in FILE_SYSTEM
        or (module.startswith("pathlib") and module != "pathlib.PurePosixPath")
    }

    assert sorted(found) == []


def test_only_the_command_line_prints() -> None:
    found = [
        path.parent.name
        for path in python_files(GENERATOR)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]

    assert set(found) == {"cli"}


def test_runtime_never_imports_the_generator() -> None:
    found = [
        m for path in python_files(RUNTIME) for m in imports(path) if m.split(".")[0] == "toolfold"
    ]

    assert found == []


def test_runtime_imports_the_sdk_only_where_it_serves() -> None:
    found = {
        path.name
        for path in python_files(RUNTIME)
        for module in imports(path)
        if module.split(".")[0] in SDK
    }

    assert found <= KNOW_THE_SDK


def test_runtime_loads_the_sdk_for_http_only_inside_functions() -> None:
    tree = ast.parse((RUNTIME / "serving" / "http.py").read_text(encoding="utf-8"))
    at_once = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    found = [
        ast.unparse(node) for node in at_once if SDK & set(ast.unparse(node).split(".")[0].split())
    ]

    assert at_once
    assert found == []


def test_generated_code_imports_only_the_runtime_pydantic_and_the_standard_library(
    tmp_path: Path,
) -> None:
    packages = write_packages(tmp_path)
    found = {
        f"{path}: {module}"
        for path in python_files(ROOT / "generated", tmp_path)
        for module in imports(path)
        if module.split(".")[0] not in STANDARD and not is_within(module, GENERATED_MAY_IMPORT)
    }

    assert packages
    assert sorted(found) == []


def test_templates_place_text_and_decide_nothing() -> None:
    deciding = (nodes.Filter, nodes.Call, nodes.Compare, nodes.CondExpr, nodes.Concat, nodes.Assign)
    environment = Environment(autoescape=True)
    found = [
        f"{path.name}: {type(node).__name__} on line {node.lineno}"
        for path in sorted((ROOT / "templates").rglob("*.jinja"))
        for node in environment.parse(path.read_text(encoding="utf-8")).find_all(deciding)
    ]

    assert found == []


def loaded_by(code: str, cwd: Path) -> set[str]:
    """Top-level modules that a fresh interpreter has after running `code`."""
    tail = "\nimport sys, json; print(); print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = python(cwd, "-c", code + tail)
    assert done.code == 0, done.text
    return set(json.loads(done.out.splitlines()[-1]))


def test_importing_the_runtime_loads_nothing_heavy(tmp_path: Path) -> None:
    loaded = loaded_by("import toolfold_runtime", tmp_path)

    heavy = {
        "jinja2",
        "yaml",
        "mcp",
        "mcp_types",
        "pydantic",
        "datamodel_code_generator",
        "toolfold",
        "asyncio",
        "logging",
        "opentelemetry",
    }
    assert loaded & heavy == set()


def test_importing_a_generated_server_loads_neither_generator_nor_sdk(tmp_path: Path) -> None:
    loaded = loaded_by("import tana_mcp.server", tmp_path)

    heavy = {
        "jinja2",
        "yaml",
        "mcp",
        "mcp_types",
        "pydantic",
        "datamodel_code_generator",
        "toolfold",
    }
    assert loaded & heavy == set()


def test_help_loads_neither_the_sdk_nor_the_model_generator(tmp_path: Path) -> None:
    loaded = loaded_by(command("--help"), tmp_path)

    assert loaded & {"mcp", "datamodel_code_generator", "jinja2", "yaml", "pydantic"} == set()


def test_cached_check_loads_neither_the_sdk_nor_the_model_generator(tmp_path: Path) -> None:
    loaded_by(command("init"), tmp_path)
    first = loaded_by(command("generate"), tmp_path)
    second = loaded_by(command("check"), tmp_path)

    assert "datamodel_code_generator" in first
    assert second & {"mcp", "mcp_types", "datamodel_code_generator"} == set()


def command(*arguments: str) -> str:
    """Code that runs the command and goes on when it is done well."""
    return (
        "from toolfold.cli.main import main\n"
        f"try: code = main({list(arguments)!r})\n"
        "except SystemExit as end: code = end.code\n"
        "assert code in (0, None), code"
    )
