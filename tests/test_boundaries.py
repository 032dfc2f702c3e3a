"""Who may import whom, and what is never loaded."""

import ast
import json
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from tests.import_rules import (
    ALL_MAY_IMPORT,
    AUTHOR_MODULES,
    FILE_SYSTEM,
    GENERATED_MAY_IMPORT,
    KNOW_THE_SDK,
    KNOW_THE_STORE,
    MAY_IMPORT,
    RUNTIME_MAY_IMPORT,
    RUNTIME_MODULES,
    SDK,
)
from tests.support.commands import python
from tests.support.golden import write_packages

ROOT = Path(__file__).parents[1]
GENERATOR = ROOT / "generator" / "toolfold"
RUNTIME = ROOT / "runtime" / "toolfold_runtime"
STANDARD = sys.stdlib_module_names


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
    source = GENERATOR / package
    files = python_files(source) if source.is_dir() else [source.with_suffix(".py")]
    allowed = MAY_IMPORT[package] | {f"toolfold.{package.replace('/', '.')}"}
    found = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in files
        for module in imports(path)
        if module.split(".")[0] not in STANDARD and not is_within(module, allowed)
    }

    assert files
    assert sorted(found) == []


def test_every_part_of_the_generator_has_a_rule() -> None:
    folders = {
        path.parent.relative_to(GENERATOR).as_posix()
        for path in GENERATOR.rglob("__init__.py")
        if path.parent != GENERATOR
    }
    modules = {path.stem for path in GENERATOR.glob("*.py")} - {"__init__", "__main__"}

    assert folders - {"emit/models"} | modules == set(MAY_IMPORT)


def test_parts_of_the_generator_have_no_import_cycle() -> None:
    """Imports for type checkers only count too; the parts of `plan` are looked at by themselves."""
    for top, prefix in ((GENERATOR, "toolfold"), (GENERATOR / "plan", "toolfold.plan")):
        parts = [path for path in top.iterdir() if path.suffix == ".py" or path.is_dir()]
        graph = {
            part.stem: {
                module.removeprefix(f"{prefix}.").split(".")[0]
                for path in (python_files(part) if part.is_dir() else [part])
                for module in imports(path)
                if module.startswith(f"{prefix}.")
            }
            - {part.stem}
            for part in parts
        }

        assert list(TopologicalSorter(graph).static_order())  # raises CycleError


def test_nothing_below_compile_knows_that_results_are_stored() -> None:
    knowing = {
        path.relative_to(GENERATOR).parts[0].removesuffix(".py")
        for path in python_files(GENERATOR)
        for module in imports(path)
        if module.startswith("toolfold.memo")
    }

    assert knowing == KNOW_THE_STORE


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


def test_every_folder_of_the_runtime_has_a_rule() -> None:
    folders = {path.parent.name for path in RUNTIME.glob("*/__init__.py")}
    modules = {path.stem for path in RUNTIME.glob("*.py")} - {"__init__"}

    assert folders == set(RUNTIME_MAY_IMPORT)
    assert modules == {*RUNTIME_MODULES, *AUTHOR_MODULES}


@pytest.mark.parametrize("folder", RUNTIME_MAY_IMPORT)
def test_runtime_folder_imports_only_what_it_may(folder: str) -> None:
    allowed = RUNTIME_MAY_IMPORT[folder] | {f"toolfold_runtime.{folder}"}
    allowed |= ALL_MAY_IMPORT if folder != "contract" else set()
    broken = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in python_files(RUNTIME / folder)
        for module in imports(path)
        if module.split(".")[0] not in STANDARD and not is_within(module, allowed)
    }

    assert sorted(broken) == []


def test_modules_that_all_of_the_runtime_imports_import_none_of_its_folders() -> None:
    allowed = ALL_MAY_IMPORT - {"toolfold_runtime.contract"}
    broken = {
        f"{module}: {imported}"
        for module in RUNTIME_MODULES
        for imported in imports(RUNTIME / f"{module}.py")
        if imported.startswith("toolfold_runtime") and not is_within(imported, allowed)
    }

    assert sorted(broken) == []


def test_nothing_of_the_runtime_imports_what_is_for_authors() -> None:
    for_authors = {f"toolfold_runtime.{module}" for module in AUTHOR_MODULES}
    importing = {
        path.name
        for path in python_files(RUNTIME)
        for module in imports(path)
        if is_within(module, for_authors)
    }

    assert importing == set()


def test_folders_of_the_runtime_have_no_import_cycle() -> None:
    """Imports for type checkers only count too."""
    graph = {
        folder: {
            module.split(".")[1]
            for path in python_files(RUNTIME / folder)
            for module in imports(path)
            if module.startswith("toolfold_runtime.")
        }
        - {folder}
        for folder in RUNTIME_MAY_IMPORT
    }

    assert list(TopologicalSorter(graph).static_order())  # raises CycleError


def test_runtime_prints_nothing_beside_its_log() -> None:
    printing = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in python_files(RUNTIME)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in {"print", "sys.stderr.write", "traceback.print_exception"}
    ]

    assert printing == []


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
