"""What must hold of everything generated, whatever the manifest's texts."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import markdown
import pyromark
from markdown_it import MarkdownIt
from toolfold.plan.text.escape import shown
from toolfold_runtime.contract.codec import decode
from toolfold_runtime.contract.tool import ToolEntry

from tests.security.material import Files, Json, collapsed, printable

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


def entry_of(files: Files, tool: str) -> ToolEntry:
    """What the catalog says about one tool."""
    lists = [t for path, t in files.items() if path.match("*/catalog/categories/*.jsonl")]
    entries = [json.loads(line) for text in lists for line in text.split("\n") if line]
    (found,) = [entry for entry in entries if entry.get("name") == tool]
    return decode(ToolEntry, found)


def _categories(files: Files) -> list[Json]:
    """The categories of every page of the inventory, in order."""
    (found,) = [t for path, t in files.items() if path.match("*/catalog/inventory.jsonl")]
    pages = [json.loads(line) for line in found.split("\n") if line]
    shown = [p["text"] for p in pages if p.get("view", "").startswith("summaries json")]
    return [category for text in shown for category in json.loads(text)["categories"]]


def assert_texts_survive(manifest: Json, files: Files) -> None:
    server = baked(files, "server.json")
    for key in ("version", "title"):
        assert server[key] == manifest["server"][key]
    said = server["instructions"]["progressive"]
    assert said.endswith(manifest["server"]["instructions"].strip()[:1900]) or len(said) == 2000
    categories = _categories(files)
    assert categories[0]["description"] == manifest["categories"]["one"]["description"]
    shown = {line["name"]: line for category in categories for line in category["tools"]}
    for name, tool in manifest["tools"].items():
        assert shown[name]["description"] == tool["summary"]
        assert shown[name]["example"] == tool["example"]
        entry = entry_of(files, name)
        definition = entry.definition.listed()
        assert definition["title"] == tool["title"]
        assert definition["description"] == tool["description"]
        assert definition["annotations"]["title"] == tool["annotations"]["title"]
        assert definition["_meta"].items() >= tool["meta"].items()
        assert definition["inputSchema"]["properties"] == tool["parameters"]
        assert definition["outputSchema"] == tool["returns"]
        assert definition["inputSchema"]["$defs"] == manifest["$defs"]
        assert entry.example == tool["examples"][0]["arguments"]
        assert json.loads(entry.views.schema)["description"] == tool["description"]
        assert_model_says_the_same(tool, files, name)


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


# --- (c) Markdown shows text as text -----------------------------------------------------------

_ELEMENTS: Final = frozenset(
    {"h1", "h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td"}
    | {"a", "code", "pre", "ul", "li", "strong", "br", "em", "span", "blockquote"}
    | {"figure", "figcaption", "svg", "title", "desc", "text", "rect", "path"}
)
# Attributes whose values are ours alone; no manifest's text ever stands in one.
_OURS: Final = {
    "figure": {"class": r"tf-figure tf-(bars|chains)", "role": "group", "tabindex": "0"},
    "svg": {"role": "img", "viewbox": r"[\d ]+", "width": r"\d+", "height": r"\d+"},
    "title": {"id": r"\w+-t"},
    "desc": {"id": r"\w+-d"},
    "text": {"class": r"tf-\w+", "x": r"[\d.]+", "y": r"\d+", "text-anchor": "end"},
    "rect": {"class": r"tf-\w+", "x": r"[\d.]+", "y": r"\d+", "width": r"[\d.]+"}
    | {"height": r"\d+", "rx": r"\d"},
    "path": {"class": "tf-arrow", "d": r"[MHml\d. -]+"},
    "span": {"class": r"tf-tier|tf-effect tf-(read|write|destructive)"},
    "a": {"id": r"[\w-]+"},
    "th": {"style": r"text-align: ?right;?"},
    "td": {"style": r"text-align: ?right;?"},
    "h1": {"id": ".*"},  # a slug, which the renderer makes
    "h2": {"id": ".*"},
    "h3": {"id": ".*"},
    "code": {"class": r"language-(json|text|python|console)"},
}
_LABELLED: Final = re.compile(r"\w+-t( \w+-d)?")
_PAGE: Final = re.compile(r"(\.\./)?((tools|categories)/)?[A-Za-z0-9_-]+\.md(#[a-z_-]+)?")
_REFERENCE: Final = "https://example.com/a_b?c=%28d%29&e=*f*"
_FIXED_LINKS: Final = ("invalid_", "effect_", "backend_", "timeout")
_COMMON: Final = MarkdownIt("commonmark", {"html": True}).enable("table")
_EXTENSIONS: Final = (
    *("tables", "fenced_code", "attr_list", "def_list", "footnotes", "md_in_html"),
    *("admonition", "toc"),
)


class Page(HTMLParser):
    """A rendered page: every element with its text, once its markup is proved harmless."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, str]] = []
        self.comments = 0
        self._open: list[tuple[str, list[str]]] = []
        self._all: list[str] = []
        self.feed(html)
        self.close()
        assert self.comments == 1
        assert not self._open, self._open

    def text(self) -> str:
        return collapsed("".join(self._all))

    def rows(self) -> list[list[str]]:
        """The cells of every row of every table."""
        found: list[list[str]] = [[]]
        for name, text in self.elements:
            if name == "td":
                found[-1].append(collapsed(text))
            elif name == "tr":
                found.append([])
        return [row for row in found if row]

    def texts(self, tag: str) -> list[str]:
        return [collapsed(text) for name, text in self.elements if name == tag]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _ELEMENTS, tag
        for name, value in attrs:
            assert value is not None, (tag, name)
            if (tag, name) == ("a", "href"):
                assert _PAGE.fullmatch(value) or value == _REFERENCE, value
            elif name == "aria-labelledby":
                assert _LABELLED.fullmatch(value), value
            else:
                assert name in _OURS.get(tag, {}), (tag, name)
                assert re.fullmatch(_OURS[tag][name], value), (tag, name, value)
        if tag != "br":
            self._open.append((tag, []))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("br", "rect", "path"), tag
        if tag != "br":
            self.handle_starttag(tag, attrs)
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        name, parts = self._open.pop()
        assert name == tag
        self.elements.append((tag, "".join(parts)))

    def handle_data(self, data: str) -> None:
        self._all.append(data)
        for _, parts in self._open:
            parts.append(data)

    def handle_comment(self, data: str) -> None:
        assert data.strip().startswith("Generated by toolfold from tools.yaml (")
        self.comments += 1

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"declaration {decl[:80]}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"instruction {data[:80]}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"declaration {data[:80]}")


def rendered(source: str) -> Iterator[Page]:
    yield Page(_COMMON.render(source))
    yield Page(markdown.markdown(source, extensions=list(_EXTENSIONS)))
    yield Page(pyromark.html(source, options=pyromark.Options.ENABLE_TABLES))


def assert_pages_show_text(manifest: Json, files: Files) -> None:
    pages = {str(path): text for path, text in files.items() if path.suffix == ".md"}
    for page in rendered(pages["docs/index.md"]):
        assert_index(manifest, page)
    for page in rendered(pages["docs/categories/one.md"]):
        assert_category(manifest, page)
    for name, tool in manifest["tools"].items():
        for page in rendered(pages[f"docs/tools/{name}.md"]):
            assert_tool(name, tool, manifest, page)


def assert_index(manifest: Json, page: Page) -> None:
    server, one = manifest["server"], manifest["categories"]["one"]
    assert page.texts("h1") == [collapsed(server["title"])]
    wanted = ["How an agent finds its way", "Quick actions", "Workflows", "Categories", "Connect"]
    assert page.texts("h2") == wanted
    assert collapsed(server["description"]) in page.text()
    assert f"Version {collapsed(server['version'])}, " in page.text()
    row = page.texts("td")[-4:]
    assert [row[0], row[1], row[3]] == [
        collapsed(one["title"]),
        str(len(manifest["tools"]) + 1),
        collapsed(one["description"]),
    ]
    ((label, tool),) = manifest["disclosure"]["quick_actions"].items()
    (flow,) = manifest["workflows"]
    assert page.texts("li") == [
        f"{collapsed(label)}: {tool}",
        f"{collapsed(flow['name'])}: {tool} — {collapsed(flow['description'])}",
    ]
    assert page.texts("desc")[1] == collapsed(shown(f"{flow['name']}: {tool}"))


def assert_category(manifest: Json, page: Page) -> None:
    one = manifest["categories"]["one"]
    assert page.texts("h1") == [collapsed(one["title"])]
    assert collapsed(one["description"]) in page.text()
    rows = [(name, tool["summary"], "read") for name, tool in manifest["tools"].items()]
    meta = manifest["disclosure"]["meta"]["capabilities"]
    rows.append(("capabilities", meta["summary"], "read"))
    cells = page.texts("td")
    assert [cells[at : at + 3] for at in range(0, len(cells), 4)] == [
        [name, collapsed(summary), effect] for name, summary, effect in rows
    ]


def assert_tool(name: str, tool: Json, manifest: Json, page: Page) -> None:
    category = manifest["categories"]["one"]["title"]
    assert page.texts("h1") == [name]
    wanted = ["When to use", "Parameters", "Returns", "Examples", "Notes", "Cost", "Errors"]
    assert page.texts("h2") == [*wanted, "Tags", "References"]
    assert page.texts("strong") == [collapsed(tool["title"])]
    links = [text for text in page.texts("a") if not text.startswith(_FIXED_LINKS)]
    assert links[0] == collapsed(category)
    assert links[-1] == collapsed(tool["references"][0]["title"])
    assert collapsed(tool["description"]) in page.text()
    assert collapsed(tool["notes"]) in page.text()
    assert f"Asked for like: “{collapsed(tool['example'])}”" in page.texts("li")
    assert collapsed(tool["examples"][0]["description"]) in page.texts("p")
    assert_rows(tool, manifest, page)
    said = page.texts("li")
    for what, words in (("consumes", "Takes"), ("generates", "Gives")):
        for thing in tool[what]:
            assert any(line.startswith(f"{words} {collapsed(thing)}") for line in said), thing
    assert ", ".join(collapsed(tag) for tag in tool["tags"]) in page.texts("p")
    blocks = [text for element, text in page.elements if element == "pre"]
    call = json.loads(blocks[1])
    assert call["arguments"] in (
        tool["examples"][0]["arguments"],
        {"tool": name, "arguments": tool["examples"][0]["arguments"]},
    )
    assert ast.literal_eval(called_with(blocks[2])) == call["arguments"]


def called_with(code: str) -> str:
    """The second argument of the call that an example shows."""
    call = ast.parse(code.strip()).body[0]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Await)
    assert isinstance(call.value.value, ast.Call)
    return ast.unparse(call.value.value.args[1])


def assert_rows(tool: Json, manifest: Json, page: Page) -> None:
    """Every property stands in a row with its default and its description."""
    rows = page.rows()
    for name, schema in tool["parameters"].items():
        (cells,) = [row for row in rows if row[0] == collapsed(name)]
        assert cells[2] == json_shown(schema)
        described = manifest["$defs"]["Shared"] if "$ref" in schema else schema
        assert cells[-1] == collapsed(described.get("description", ""))


def json_shown(schema: Json) -> str:
    if "default" not in schema:
        return ""
    return collapsed(json.dumps(schema["default"], ensure_ascii=False, separators=(",", ":")))


# --- (d) importing runs nothing ----------------------------------------------------------------

_IMPORT_ALL: Final = """
import importlib, pkgutil, sys
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
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _IMPORT_ALL],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert sorted(folder.rglob("*")) == before
