"""What must hold of everything generated, whatever the manifest's texts."""

import ast
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from toolfold_runtime.contract.codec import decode
from toolfold_runtime.contract.tool import ToolEntry

from tests.security.material import Files, Json, printable
from tests.support.commands import WARNINGS_ARE_ERRORS, Result, program

# --- (a) the shape of the code -----------------------------------------------------------------

_ALLOWED_CALLS: Final = frozenset(
    {
        "Field",
        "ConfigDict",
        "Catalog",
        "Path",
        "serve",
        "main",
        "sys.exit",
        "CATALOG.inventory",
        "CATALOG.details",
        "CATALOG.search",
    }
)
_ALLOWED_NODES: Final = (
    *(ast.Module, ast.Expr, ast.Constant, ast.Load, ast.Store, ast.Import, ast.ImportFrom),
    *(ast.alias, ast.ClassDef, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.If),
    *(ast.Assign, ast.AnnAssign, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List),
    *(ast.Dict, ast.Call, ast.keyword, ast.BinOp, ast.BitOr, ast.Div, ast.Compare, ast.Eq),
    *(ast.UnaryOp, ast.USub, ast.Pass, ast.Raise),
)
_MODULES: Final = frozenset(
    {"__future__", "typing", "collections.abc", "pydantic", "pathlib", "sys"}
    | {"toolfold_runtime", "toolfold_runtime.models"}
)


class _Blank(ast.NodeTransformer):
    """Every text the same, so that two trees are equal where only texts differ."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("·") if isinstance(node.value, str) else node


def shape(source: str) -> str:
    return ast.dump(_Blank().visit(ast.parse(source)))


def assert_only_expected_code(source: str) -> None:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        assert isinstance(node, _ALLOWED_NODES), ast.dump(node)[:200]
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            assert name in _ALLOWED_CALLS or name.endswith(".model_rebuild"), name
        elif isinstance(node, ast.ImportFrom):
            assert node.level or node.module in _MODULES, node.module
        elif isinstance(node, ast.Import):
            assert [alias.name for alias in node.names] == ["sys"]
    for statement in tree.body:
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                continue
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="model_rebuild"))):
                continue
            case ast.Import() | ast.ImportFrom() | ast.ClassDef() | ast.FunctionDef():
                continue
            case ast.Assign() | ast.AnnAssign() | ast.If():
                continue
        raise AssertionError(ast.dump(statement)[:200])


def python_of(files: Files) -> dict[str, str]:
    return {str(path): text for path, text in files.items() if path.suffix == ".py"}


def assert_code_is_like(files: Files, benign: Mapping[str, str]) -> None:
    found = python_of(files)
    assert set(found) == set(benign)
    for path, source in found.items():
        assert_only_expected_code(source)
        assert shape(source) == benign[path], path


def constants(source: str) -> list[Any]:
    return [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]


# --- (b) every literal survives ----------------------------------------------------------------


def baked(files: Files, name: str) -> Json:
    found = next(text for path, text in files.items() if str(path).endswith(f"catalog/{name}"))
    value: Json = json.loads(found)
    return value


def entries_of(files: Files) -> dict[str, ToolEntry]:
    """What the catalog says about each tool."""
    lists = [t for path, t in files.items() if path.match("*/catalog/categories/*.jsonl")]
    lines = [json.loads(line) for text in lists for line in text.split("\n") if line]
    entries = [decode(ToolEntry, line) for line in lines if "name" in line]
    assert len({entry.name for entry in entries}) == len(entries)
    return {entry.name: entry for entry in entries}


def _categories(files: Files) -> list[Json]:
    """The categories of every page of the inventory, in order."""
    (found,) = [t for path, t in files.items() if path.match("*/catalog/inventory.jsonl")]
    pages = [json.loads(line) for line in found.split("\n") if line]
    shown = [p["text"] for p in pages if p.get("view", "").startswith("summaries json")]
    return [category for text in shown for category in json.loads(text)["categories"]]


def assert_listed(shown: str, text: str) -> None:
    """A list shows a text whole, or the beginning of a long one."""
    head = shown.removesuffix("…")
    assert shown == text or (len(head) > 0 and len(text) > 300 and text.startswith(head))


def assert_texts_survive(manifest: Json, files: Files) -> None:
    server = baked(files, "server.json")
    for key in ("version", "title"):
        assert server[key] == manifest["server"][key]
    said = server["instructions"]["progressive"]
    assert said.endswith((manifest["server"]["instructions"].strip()[:1900], "…"))
    categories = _categories(files)
    assert_listed(categories[0]["description"], manifest["categories"]["one"]["description"])
    shown = {line["name"]: line for category in categories for line in category["tools"]}
    entries = entries_of(files)
    for name, tool in manifest["tools"].items():
        assert_listed(shown[name]["description"], tool["summary"])
        assert shown[name]["example"] == tool["example"]
        entry = entries[name]
        definition = entry.definition.listed()
        assert definition["title"] == tool["title"]
        assert definition["description"] == tool["description"]
        assert definition["annotations"]["title"] == tool["annotations"]["title"]
        assert definition["_meta"].items() >= tool["meta"].items()
        assert definition["inputSchema"]["properties"] == tool["parameters"]
        assert definition["outputSchema"] == tool["returns"]
        assert definition["inputSchema"]["$defs"] == manifest["$defs"]
        example = tool["examples"][0]["arguments"]
        # A long example is passed over for the smallest call.
        assert entry.example == example or len(json.dumps(example)) > 1_000
        assert json.loads(entry.views.schema)["description"] == tool["description"]
        assert_model_says_the_same(tool, files, name)
    assert_resources_and_prompts_survive(manifest, files)


def assert_resources_and_prompts_survive(manifest: Json, files: Files) -> None:
    """Texts of prompts and resources are baked as they are, and a workflow's too."""
    declared, workflow = baked(files, "prompts.json")["prompts"]
    written = manifest["prompts"]["hostile_prompt"]
    argument = declared["arguments"][0]
    said = "".join(part.get("text", "{words}") for part in declared["parts"])
    assert said.replace("{", "{{").replace("}", "}}") == written["text"].replace(
        "{words}", "{{words}}"
    )
    assert (declared["title"], declared["description"]) == (written["title"], written["summary"])
    assert argument == {"name": "words"} | written["arguments"]["words"]
    (flow,) = manifest["workflows"]
    assert workflow["title"] == flow["name"]
    assert workflow["parts"][0]["text"].startswith(f"{flow['name']}\n{flow['description']}\n")
    assert re.fullmatch(r"[a-z0-9_]{1,64}", workflow["name"])
    (resource,) = baked(files, "resources.json")["resources"]
    hostile_resource = manifest["resources"]["hostile"]
    assert (resource["title"], resource["description"]) == (
        hostile_resource["title"],
        hostile_resource["summary"],
    )


def assert_model_says_the_same(tool: Json, files: Files, name: str) -> None:
    source = next(text for p, text in files.items() if str(p).endswith(f"models/{name}.py"))
    said = constants(source)
    parameters = tool["parameters"]
    inner = parameters["nested"]["properties"]["inner"]
    out = tool["returns"]["properties"]["out"]
    values = [
        parameters["plain"]["default"],
        parameters["fixed"]["const"],
        inner["default"],
        *parameters["choice"]["enum"],
        *parameters["many"]["default"],
        *out["enum"],
    ]
    assert [value for value in values if value not in said] == []
    shown = {printable(text) for text in said if isinstance(text, str)}
    described = [parameters["plain"], parameters["fixed"], inner, out]
    texts = [printable(schema["description"]) for schema in described]
    assert [text for text in texts if text not in shown] == []


# --- (c) importing runs nothing ----------------------------------------------------------------

_IMPORT_ALL: Final = """
import importlib, pkgutil, sys
sys.dont_write_bytecode = True
from pathlib import Path
import pydantic, toolfold_runtime.models

def watch(event, arguments):
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        raise RuntimeError(f"{event} {arguments}")
    if event.split(".")[0] in ("socket", "subprocess", "shutil") or event in (
        "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.remove", "os.rename", "os.mkdir",
    ):
        raise RuntimeError(f"{event} {arguments}")

sys.addaudithook(watch)
sys.path.insert(0, "packages")
for package in pkgutil.walk_packages(["packages"]):
    module = importlib.import_module(package.name)
    for name, value in vars(module).items():
        if name.endswith("Params") and ".models." in package.name:
            value.model_json_schema()
"""


def assert_importing_does_nothing(packages: list[Files], folder: Path) -> None:
    """Import every module of all packages in one fresh interpreter with a canary."""
    root = folder / "packages"
    for files in packages:
        for path, text in files.items():
            if path.parts[0] != "docs":
                target = root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8", newline="\n")
    before = sorted(folder.rglob("*"))
    done = program(folder, WARNINGS_ARE_ERRORS + _IMPORT_ALL)
    assert done == Result(0, "", "")
    assert sorted(folder.rglob("*")) == before
