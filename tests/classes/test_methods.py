"""The user's class beside the manifest: read, held to the protocol, written once."""

from pathlib import Path
from typing import Final

import pytest
from toolfold.testing import assert_current

from tests.classes.material import hide_implementations
from tests.support.checker import strictly_checked
from tests.support.commands import Result, toolfold, toolfold_process

MANIFEST: Final = """
toolfold: 1
server: {name: demo, version: "1", package: demo_mcp, implementation: "implementation:Tools"}
categories: {all: {}}
tools:
  find:
    category: all
    effect: read
    summary: Find "things"
    parameters: {query: {type: string, required: true}}
    returns: {type: array, items: {type: string}}
  drop: {category: all, effect: write, summary: Drop a thing, backend: {python: remove}}
"""
BOTH: Final = "    def find(self, params): ...\n    async def remove(self, params): ...\n"
_NEW: Final = "  grow: {category: all, effect: write, summary: Grow}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A manifest whose implementation is missing, as the working directory."""
    (tmp_path / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    hide_implementations(monkeypatch)
    return tmp_path


def write(project: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def checked_by_mypy(project: Path) -> Result:
    return strictly_checked(project, "implementation.py", path="generated")


# The class to start from


def test_generate_writes_a_class_to_start_from_once_and_never_again(project: Path) -> None:
    done = toolfold(project, "generate")
    assert done.code == 0
    assert "implementation.py: written; its methods wait for you" in done.out
    written = (project / "implementation.py").read_text(encoding="utf-8")
    assert "class Tools(Handlers):" in written
    assert "def find(self, params: FindParams) -> FindResult:" in written
    assert "def remove(self, params: DropParams) -> Anything:" in written
    done = toolfold(project, "check")
    assert done.code == 0

    write(project, {"implementation.py": "# mine\n" + written})
    done = toolfold(project, "generate", "--no-cache")
    assert done.code == 0
    assert (project / "implementation.py").read_text(encoding="utf-8").startswith("# mine\n")


def test_the_class_to_start_from_is_strictly_typed_and_answers(project: Path) -> None:
    toolfold(project, "generate", "-q")

    typed = checked_by_mypy(project)
    tried = toolfold_process(project, "try", "find", '{"query": "x"}')

    assert typed.out == "Success: no issues found in 1 source file\n"
    assert tried.out == "backend_failed: find is not implemented by the server.\n"


def test_a_wrong_signature_is_found_by_mypy(project: Path) -> None:
    toolfold(project, "generate", "-q")
    wrong = (project / "implementation.py").read_text(encoding="utf-8")
    wrong = wrong.replace("-> FindResult", "-> int").replace("params: DropParams", "params: str")
    write(project, {"implementation.py": wrong})

    found = checked_by_mypy(project)

    assert 'Return type "int" of "find" incompatible' in found.out
    assert 'Argument 1 of "remove" is incompatible with supertype' in found.out


def test_a_module_in_a_folder_is_written_there(project: Path) -> None:
    text = MANIFEST.replace("implementation:Tools", "inner.deep.work:Worker")
    write(project, {"tools.yaml": text})

    done = toolfold(project, "generate", "-q")
    assert done.code == 0

    assert "class Worker(Handlers):" in (project / "inner/deep/work.py").read_text("utf-8")
    done = toolfold(project, "check")
    assert done.code == 0


def test_nothing_is_written_where_a_module_is_in_the_way(project: Path) -> None:
    text = MANIFEST.replace("implementation:Tools", "implementation.inner:Tools")
    write(project, {"tools.yaml": text, "implementation.py": ""})

    done = toolfold(project, "generate")
    assert done.code == 0

    assert "implementation.py is a module, so nothing can be below it" in done.err
    assert not (project / "implementation").exists()
    done = toolfold(project, "check")
    assert done.code == 1
    assert "name another module under `server.implementation`" in done.err


def test_nothing_is_written_over_an_installed_module(project: Path) -> None:
    write(project, {"tools.yaml": MANIFEST.replace("implementation:Tools", "jinja2:Tools")})
    done = toolfold(project, "generate", "-q")
    assert done.code == 0

    done = toolfold(project, "check")
    assert done.code == 0

    assert not (project / "jinja2.py").exists()
    said = done.err
    assert said == "notice: jinja2 is not beside the manifest; its methods were not looked at\n"


# What is missing


def test_a_new_tool_is_reported_with_the_stub_to_paste(project: Path) -> None:
    toolfold(project, "generate", "-q")
    write(project, {"tools.yaml": MANIFEST + _NEW})

    done = toolfold(project, "generate", "-q")
    assert done.code == 0

    said = done.err
    assert 'Tools: warning: no method "grow" for the tool "grow"' in said
    assert (
        "paste into the class:\n\n"
        "from demo_mcp.models.grow import GrowParams\n"
        "from toolfold_runtime import Anything\n\n"
        "    def grow(self, params: GrowParams) -> Anything:\n"
        '        """Grow"""\n'
        "        raise NotImplementedError\n"
    ) in said


def test_a_tool_without_a_method_fails_check_with_place_and_stub(project: Path) -> None:
    toolfold(project, "generate", "-q")
    write(project, {"implementation.py": "\nclass Tools:\n    def find(self, params): ...\n"})

    done = toolfold(project, "check")
    assert done.code == 1

    said = done.err
    assert said.startswith(
        'implementation.py:2:1: Tools: no method "remove" for the tool "drop"\n  2 | class Tools:\n'
    )
    assert "def remove(self, params: DropParams)" in said
    done = toolfold(project, "check", "--format", "json")
    assert done.code == 1
    assert '"code": "implementation"' in done.out


def test_a_test_suite_is_told_the_same(project: Path) -> None:
    toolfold(project, "generate", "-q")
    assert_current(project / "tools.yaml")
    write(project, {"implementation.py": "\nclass Tools:\n    def find(self, params): ...\n"})

    with pytest.raises(AssertionError) as raised:
        assert_current("tools.yaml")

    assert str(raised.value) in toolfold(project, "check").err


@pytest.mark.parametrize(
    ("files", "fact"),
    [
        ({"implementation.py": "Other = 1\n"}, 'no class "Tools"'),
        ({"implementation.py": "class Tools:\n  def\n"}, "Python cannot read it: "),
        ({"implementation.py": "class Tools: pass\n"}, 'no method "find"'),
        (
            {
                "implementation.py": "from demo_mcp.handlers import Handlers\nclass Tools(Handlers): ..."
            },
            'no method "find"',
        ),
        (
            {
                "implementation.py": "from base import B\nclass Tools(B): ...",
                "base.py": "class B: ...",
            },
            'no method "find"',
        ),
    ],
    ids=["no class", "syntax", "empty", "protocol only", "empty base"],
)
def test_a_class_that_lacks_methods_is_found(
    project: Path, files: dict[str, str], fact: str
) -> None:
    write(project, files)
    toolfold(project, "generate", "-q")

    done = toolfold(project, "check")
    assert done.code == 1
    assert fact in done.err


@pytest.mark.parametrize(
    "files",
    [
        {"implementation.py": f"class Tools:\n{BOTH}"},
        {"implementation.py": f"class Base:\n{BOTH}\nclass Tools(Base): ...\n"},
        {"implementation.py": f"from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Base(Generic[T]):\n{BOTH}\nclass Tools(Base[int]): ...\n"},
        {"implementation.py": "from base import B as C\nclass Tools(C): ...", "base.py": f"class B:\n{BOTH}"},
        {"implementation.py": "import base\nclass Tools(base.B): ...", "base.py": f"class B:\n{BOTH}"},
        {"implementation.py": "import p.base\nclass Tools(p.base.B): ...", "p/base.py": f"class B:\n{BOTH}"},
        {"implementation.py": "from p import B\nclass Tools(B): ...", "p/__init__.py": "from .base import B\n", "p/base.py": f"class B:\n{BOTH}"},
        {"implementation.py": "from p.inner import Tools\n", "p/inner.py": "from .base import B\nclass Tools(B): ...\n", "p/base.py": f"class B:\n{BOTH}"},
        {"implementation.py": "if True:\n    class Tools:\n        if True:\n            def find(self, params): ...\n        else:\n            pass\n        remove = find\n"},
        {"implementation.py": "class Tools:\n    find = remove = lambda self, params: 1\n"},
        {"implementation.py": "\ufeffclass Tools:\n" + BOTH},
    ],
    ids=["plain", "base", "generic base", "other file", "module", "dotted", "package", "re-export", "conditions", "assigned", "BOM"],
)  # fmt: skip
def test_methods_are_found_wherever_they_are_declared(project: Path, files: dict[str, str]) -> None:
    write(project, files)

    assert toolfold(project, "generate", "-q") == Result(0, "", "")
    assert toolfold(project, "check") == Result(0, "", "")


@pytest.mark.parametrize(
    ("code", "source"),
    [
        ("from elsewhere import Base\nclass Tools(Base): ...\n", "Base"),
        ("import yaml\nclass Tools(yaml.Loader): ...\n", "yaml.Loader"),
        ("class Tools:\n    def __getattr__(self, name): ...\n", "__getattr__"),
        ("def add(c): return c\n@add\nclass Tools: ...\n", "@add"),
        ("class Meta(type): ...\nclass Tools(metaclass=Meta): ...\n", "metaclass Meta"),
        ("def make(): ...\nclass Tools(make()): ...\n", "make()"),
        ("class Tools(Tools): ...\n", "Tools"),
    ],
)
def test_what_cannot_be_followed_is_a_notice_and_no_error(
    project: Path, code: str, source: str
) -> None:
    write(project, {"implementation.py": code})
    done = toolfold(project, "generate", "-q")
    assert done.code == 0

    done = toolfold(project, "check")
    assert done.code == 0
    assert done.err == (
        f"notice: implementation.py: Tools may get 2 methods from {source},"
        " which was not looked into\n"
    )


def test_the_users_code_is_never_run(project: Path) -> None:
    code = "from pathlib import Path\nPath('ran').touch()\nclass Tools:\n" + BOTH
    write(project, {"implementation.py": code})

    done = toolfold(project, "generate", "-q")
    assert done.code == 0
    done = toolfold(project, "check")
    assert done.code == 0

    assert not (project / "ran").exists()
