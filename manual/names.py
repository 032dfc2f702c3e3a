"""The reference of Python: the public names, their signatures and docstrings, read from the source."""

import ast
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from manual.text import block, code, fields, page

_ROOT: Final = Path(__file__).parents[1]
_RUNTIME: Final = _ROOT / "runtime"
_GENERATOR: Final = _ROOT / "generator"
_EXAMPLES: Final = _ROOT / "manual" / "author_examples.py"
_PACKAGE: Final = "toolfold_runtime"
# The names of `toolfold_runtime` in the order in which an author meets them; the page puts new ones last.
_GROUPS: Final = {
    "During a call": (
        "caller",
        "Caller",
        "progress",
        "is_cancelled",
        "ask",
        "ask_blocking",
        "results_cache",
    ),
    "Errors": ("ToolError", "UnansweredError"),
    "Content": ("Image", "Audio", "File", "Link", "Text", "Content", "MixedContent", "ToolResult"),
}
_FOR_GENERATED_CODE: Final = ("Anything", "Catalog", "Handler", "MaybeAwaitable", "serve")
_FOR_THE_RUNTIME: Final = "For the runtime"
_LIFE: Final = """The class that `server.implementation` names is made once, and has a method for each tool. It may have two
more: `start`, before the first call, and `close`, at the end, whether the client left or a signal came.

```python
class Orders(Handlers):
    async def start(self) -> None:
        self.pool = await connect()

    async def close(self) -> None:
        await self.pool.close()
```

An optional parameter that was not given is `None`; `params.model_fields_set` holds the names of those that were."""


class Member(NamedTuple):
    """A field or method of a public class."""

    signature: str
    meaning: str


class PublicName(NamedTuple):
    """A name that authors may import."""

    module: str
    name: str
    signature: str
    meaning: str
    members: tuple[Member, ...]
    #: Source of a function that uses it.
    example: str

    @property
    def missing(self) -> list[str]:
        """What its documentation lacks, and what to do about it."""
        full = f"{self.module}.{self.name}"
        lacks = [] if self.meaning else [f"{full}: give it a docstring, or a #: comment"]
        if not self.example:
            lacks.append(f"{full}: use it in manual/author_examples.py")
        unsaid = [member.signature for member in self.members if not member.meaning]
        return lacks + [
            f"{full}: {signature}: give it a docstring, or a #: comment" for signature in unsaid
        ]


def public_names() -> tuple[PublicName, ...]:
    """Every public name: of the runtime, its log, and the module for tests."""
    tree = _tree(_RUNTIME / _PACKAGE / "__init__.py")
    origins = {
        alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    names = [_described(_PACKAGE, name, origins[name], _RUNTIME) for name in _exported(tree)]
    for module, root in ((f"{_PACKAGE}.log", _RUNTIME), ("toolfold.testing", _GENERATOR)):
        functions = (
            node.name for node in _module(module, root).body if isinstance(node, ast.FunctionDef)
        )
        names += [_described(module, name, module, root) for name in functions if name[0] != "_"]
    return tuple(names)


def names_page() -> str:
    """The page of Python."""
    names = {(known.module, known.name): known for known in public_names()}
    groups = {title: [(_PACKAGE, name) for name in members] for title, members in _GROUPS.items()}
    groups["Logging"] = [key for key in names if key[0].endswith(".log")]
    groups["Tests"] = [key for key in names if key[0] == "toolfold.testing"]
    last = [(_PACKAGE, name) for name in _FOR_GENERATED_CODE]
    placed = {key for keys in groups.values() for key in keys} | set(last)
    groups["More"] = [key for key in names if key not in placed]
    groups["For generated code"] = last
    parts = [
        "What a class and its tests may import, and what each name does.",
        "## The class",
        _LIFE,
    ]
    shown: dict[str, str] = {}
    for title, keys in groups.items():
        parts += [f"## {title}"] if keys else []
        for key in keys:
            parts += _part(names[key], shown)
    return page("Python", *parts)


def _part(known: PublicName, shown: dict[str, str]) -> Iterator[str]:
    """A name; its example only where no earlier name has the same one, by `shown`."""
    yield f"### {code(known.name)}"
    yield block("python", f"from {known.module} import {known.name}\n\n{known.signature}")
    yield known.meaning
    if known.members:
        yield fields(known.members)
    first = shown.setdefault(known.example, known.name)
    if first == known.name:
        yield "For example:"
        yield block("python", known.example)
    else:
        yield f"The example of [{code(first)}](#{first.lower()}) shows it."


def _exported(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise LookupError("no __all__")


def _described(public: str, name: str, origin: str, root: Path) -> PublicName:
    """A name by the statement that defines it, in the module that it comes from."""
    module, lines = _module(origin, root), _lines(origin, root)
    for node in module.body:
        example = _example_of(name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return PublicName(public, name, _signature(node, lines), _meaning(node), (), example)
        if isinstance(node, ast.ClassDef) and node.name == name:
            members = tuple(_members(node, module, lines))
            return PublicName(public, name, _head(node), _meaning(node), members, example)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name and node.value:
            signature = f"{name} = {ast.unparse(node.value)}"
            return PublicName(public, name, signature, _comment(node, lines), (), example)
    raise LookupError(f"{origin}.{name} is defined nowhere")


def _members(node: ast.ClassDef, module: ast.Module, lines: list[str]) -> Iterator[Member]:
    """The fields and methods of a class, then those of its bases in the same module."""
    if node.name in _FOR_GENERATED_CODE:
        return
    for inner in node.body:
        if isinstance(inner, ast.AnnAssign):
            yield Member(_field(inner), _comment(inner, lines))
        elif isinstance(inner, ast.FunctionDef) and inner.name[0] != "_":
            is_hidden = _meaning(inner).startswith(_FOR_THE_RUNTIME)
            if not is_hidden:
                yield Member(_called(_signature(inner, lines)), _meaning(inner).split("\n")[0])
    bases = {ast.unparse(base) for base in node.bases}
    for known in module.body:
        if isinstance(known, ast.ClassDef) and known.name in bases:
            yield from _members(known, module, lines)


def _head(node: ast.ClassDef) -> str:
    """A class with its public bases, or as it is made where it says how."""
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
            given = ast.unparse(inner.args).removeprefix("self, ").replace("=", " = ")
            return f"class {node.name}({given})"
    bases = [base for base in map(ast.unparse, node.bases) if base[0] != "_"]
    return f"class {node.name}({', '.join(bases)})" if bases else f"class {node.name}"


def _called(signature: str) -> str:
    """A method's signature as it is called."""
    return signature.removeprefix("def ").replace("(cls, ", "(").replace("(self, ", "(")


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> str:
    """The head of a function as it is written, without the quotes around its result."""
    head = "\n".join(lines[node.lineno - 1 : node.body[0].lineno - 1])
    text = textwrap.dedent(head).rstrip().removesuffix(":")
    return re.sub(r'-> "(.+)"$', r"-> \1", text)


def _field(node: ast.AnnAssign) -> str:
    """A field of a dataclass with its default, and nothing of how it is made."""
    value = node.value
    if isinstance(value, ast.Call):
        value = next((k.value for k in value.keywords if k.arg == "default"), None)
    default = f" = {ast.unparse(value)}" if value else ""
    return f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}{default}"


def _meaning(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    return ast.get_docstring(node) or ""


def _comment(node: ast.stmt, lines: list[str]) -> str:
    """What the `#:` lines right above a statement say."""
    found: list[str] = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.strip().startswith("#:"):
            break
        found.insert(0, line.strip().removeprefix("#:").strip())
    return " ".join(found)


def _example_of(name: str) -> str:
    """The first function of the examples that uses a name."""
    source = _EXAMPLES.read_text(encoding="utf-8")
    for node in _tree(_EXAMPLES).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            logged = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
            if name in used or ("log" in used and name in logged):
                return ast.get_source_segment(source, node) or ""
    return ""


def _module(name: str, root: Path) -> ast.Module:
    return _tree(root.joinpath(*name.split(".")).with_suffix(".py"))


def _lines(name: str, root: Path) -> list[str]:
    path = root.joinpath(*name.split(".")).with_suffix(".py")
    return path.read_text(encoding="utf-8").split("\n")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
