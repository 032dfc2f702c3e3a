"""Methods of tools that declare content: scaffolds, and annotations that are surely wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.classes.material import Shop, hide_implementations
from tests.support.checker import strictly_checked
from tests.support.commands import toolfold

MANIFEST: Final = """\
toolfold: 1
server: {name: gallery, version: "1", package: gallery_mcp, implementation: "implementation:Tools"}
categories: {all: {}}
$defs: {File: {type: object, properties: {path: {type: string}}}}
tools:
  draw: {category: all, effect: read, summary: Draw, content: image}
  export: {category: all, effect: read, summary: Export, content: file}
  mix: {category: all, effect: read, summary: Mix, content: mixed}
  compare:
    {category: all, effect: read, summary: Compare, content: image,
     returns: {type: object, properties: {score: {type: number}}}}
  find: {category: all, effect: read, summary: Find, returns: {$ref: "#/$defs/File"}}
"""
IMPORTS: Final = """\
import typing
from collections.abc import Awaitable, Sequence
import toolfold_runtime
from gallery_mcp.models.compare import CompareParams, CompareResult
from gallery_mcp.models.definitions.file import File
from gallery_mcp.models.draw import DrawParams
from gallery_mcp.models.export import ExportParams
from gallery_mcp.models.find import FindParams
from gallery_mcp.models.mix import MixParams
from toolfold_runtime import Anything, Audio, Image, Link, MixedContent, Text, ToolResult
from toolfold_runtime import File as RuntimeFile
from elsewhere import Mine
"""
#: By method: its right result.
RIGHT: Final = {
    "draw": "Image",
    "export": "RuntimeFile",
    "mix": "MixedContent",
    "compare": "ToolResult[CompareResult]",
    "find": "File",
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gallery")
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        hide_implementations(patch)  # where there is one already, none is written to start from
        assert toolfold(folder, "generate", "-q").code == 0
    return folder


@pytest.fixture
def gallery(generated: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    hide_implementations(monkeypatch)
    scaffold = (generated / "implementation.py").read_text(encoding="utf-8")
    yield Shop(generated)
    (generated / "implementation.py").write_text(scaffold, encoding="utf-8")


def write_class(gallery: Shop, **results: str) -> None:
    methods = (
        f"    def {name}(self, params: {name.capitalize()}Params) -> {result}: ...\n"
        for name, result in (RIGHT | results).items()
    )
    gallery.write(f"{IMPORTS}\nclass Tools:\n{''.join(methods)}")


def test_the_class_to_start_from_has_types_of_content_and_is_strictly_typed(gallery: Shop) -> None:
    written = (gallery.folder / "implementation.py").read_text(encoding="utf-8")

    for name, result in RIGHT.items():
        assert f"def {name}(self, params: {name.capitalize()}Params) -> {result}:" in written
    typed = strictly_checked(gallery.folder, "implementation.py", path="generated")
    assert typed.code == 0, typed.out
    assert gallery.problems() == []


def test_a_missing_method_is_pasted_with_the_imports_of_its_content(gallery: Shop) -> None:
    gallery.write(f"{IMPORTS}\nclass Tools:\n    def draw(self, params): ...\n")

    hints = {problem["fact"]: problem["hint"] for problem in gallery.problems()}

    hint = hints['no method "export" for the tool "export"']
    assert "from toolfold_runtime import File as RuntimeFile\n" in hint
    assert "def export(self, params: ExportParams) -> RuntimeFile:" in hint
    hint = hints['no method "compare" for the tool "compare"']
    assert "from toolfold_runtime import ToolResult\n" in hint


@pytest.mark.parametrize(
    ("method", "result", "wanted"),
    [
        ("draw", "bytes", "Image"),
        ("draw", "str", "Image"),
        ("draw", "None", "Image"),
        ("draw", "dict[str, int]", "Image"),
        ("draw", "Audio", "Image"),
        ("draw", "Awaitable[Link]", "Image"),
        ("draw", "toolfold_runtime.content.Text", "Image"),
        ("draw", "CompareResult", "Image"),
        ("draw", "ToolResult", "Image"),
        ("export", "File", "RuntimeFile"),
        ("compare", "CompareResult", "ToolResult[CompareResult]"),
        ("compare", "Image", "ToolResult[CompareResult]"),
        ("compare", "ToolResult[File]", "ToolResult[CompareResult]"),
        ("compare", "ToolResult[int]", "ToolResult[CompareResult]"),
        ("compare", "'ToolResult[File]'", "ToolResult[CompareResult]"),
        ("find", "list[File]", "File"),
    ],
)
def test_a_result_that_is_surely_wrong_is_reported(
    gallery: Shop, method: str, result: str, wanted: str
) -> None:
    write_class(gallery, **{method: result})

    (problem,) = gallery.problems()

    shown = result.strip("'").removeprefix("Awaitable[").removesuffix("]" * ("Await" in result))
    assert problem["fact"] == f'is annotated to return "{shown}"; the tool returns {wanted}'
    assert problem["path"] == f"Tools.{method}"
    right = f"def {method}(self, params: {method.capitalize()}Params) -> {wanted}:"
    assert problem["hint"] == f"write `{right}`"


@pytest.mark.parametrize(
    ("method", "result"),
    [
        *RIGHT.items(),
        ("draw", "'Image'"),
        ("draw", "Awaitable[Image]"),
        ("draw", "toolfold_runtime.Image"),
        ("draw", "list[Image]"),
        ("draw", "Image | Audio"),
        ("draw", "Anything"),
        ("draw", "Mine"),
        ("export", "toolfold_runtime.content.File"),
        ("mix", "str"),
        ("mix", "Image"),
        ("mix", "list[str | Image]"),
        ("mix", "Sequence[Text]"),
        ("compare", "ToolResult"),
        ("compare", "ToolResult[typing.Any]"),
        ("compare", "Awaitable[ToolResult[CompareResult]]"),
        ("compare", "Mine"),
        ("find", "ToolResult[File]"),
    ],
)
def test_a_right_or_doubtful_result_is_not_reported(
    gallery: Shop, method: str, result: str
) -> None:
    write_class(gallery, **{method: result})

    assert gallery.problems() == []
