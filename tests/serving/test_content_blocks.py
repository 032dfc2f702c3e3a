"""Content over both transports in both eras, listed and through a runner, for a typed class."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio
import pytest

from tests.running.material import tool
from tests.running.media_samples import png, wav
from tests.support.checker import strictly_checked
from tests.support.clients import ERAS, Era, connected, over_stdio
from tests.support.commands import python, toolfold, toolfold_process
from tests.support.documents import fenced_blocks
from tests.support.projects import ROOT, Json, Project, generate, project
from tests.support.servers import Listening, listening, serve_command

RETURNS: Final = {
    "type": "object",
    "properties": {"score": {"type": "number"}},
    "required": ["score"],
}
MANIFEST: Final[Json] = {
    "toolfold": 1,
    "server": {"name": "gallery", "version": "1", "implementation": "implementation:Gallery"},
    "disclosure": {"format": "text"},
    "categories": {"all": {}},
    "tools": {
        "chart": tool(content="image", cache={"ttl": 60}),
        "speech": tool(content="audio"),
        "export": tool(content="file"),
        "source": tool(content="link"),
        "report": tool(content="mixed", budget=1000),
        "compare": tool(content="image", returns=RETURNS),
        "large": tool(content="image"),
    },
}
IMPLEMENTATION: Final = """
from pathlib import Path

from {package}.handlers import Handlers
from {package}.models.chart import ChartParams
from {package}.models.compare import CompareParams, CompareResult
from {package}.models.export import ExportParams
from {package}.models.large import LargeParams
from {package}.models.report import ReportParams
from {package}.models.source import SourceParams
from {package}.models.speech import SpeechParams
from toolfold_runtime import Audio, File, Image, Link, MixedContent, Text, ToolResult

HERE = Path(__file__).parent
NOTES = {{"audience": ["user"], "priority": 1, "lastModified": "2026-01-31T09:30:00Z"}}


class Gallery(Handlers):
    def chart(self, params: ChartParams) -> Image:
        return Image.from_file(HERE / "chart.png")

    async def speech(self, params: SpeechParams) -> Audio:
        return Audio.from_file(HERE / "speech.wav")

    def export(self, params: ExportParams) -> File:
        return File("a;b\\n", "report://table", "text/csv", annotations=NOTES, meta={{"rows": 1}})

    def source(self, params: SourceParams) -> Link:
        return Link("https://example.com/figures", "figures", size=7)

    def report(self, params: ReportParams) -> MixedContent:
        chart = Image.from_file(HERE / "chart.png")
        return [Text("first", annotations=NOTES), chart, chart, chart, "last"]

    def compare(self, params: CompareParams) -> ToolResult[CompareResult]:
        return ToolResult(CompareResult(score=0.5), [Image.from_file(HERE / "chart.png")])

    def large(self, params: LargeParams) -> Image:
        return Image((HERE / "chart.png").read_bytes() + bytes(10_000_000))
"""
NOTES: Final = {"audience": ["user"], "priority": 1.0, "lastModified": "2026-01-31T09:30:00Z"}
CHART: Final = png(600, 500)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("gallery")
    made = project(folder, MANIFEST)
    text = IMPLEMENTATION.format(package=made.package)
    (folder / "implementation.py").write_text(text, encoding="utf-8")
    (folder / "chart.png").write_bytes(CHART)
    (folder / "speech.wav").write_bytes(wav(0.1))
    return made


@pytest.fixture(scope="module")
def web(gallery: Project) -> Iterator[Listening]:
    with listening(gallery) as server:
        yield server


@pytest.fixture(params=["stdio", "http"])
def server(request: pytest.FixtureRequest, gallery: Project, web: Listening) -> Any:
    """How a client reaches the gallery."""
    return web.url if request.param == "http" else over_stdio(serve_command(gallery))


async def _answers(server: Any, era: Era) -> dict[str, Json]:
    """What each tool answers by its own name and, after a slash, through the runner."""
    answers = {}
    async with connected(server, era) as client:
        for name in MANIFEST["tools"]:
            for called, given in ((name, {}), ("run_read", {"tool": name})):
                result = await client.call_tool(called, given)
                dumped = result.model_dump(by_alias=True, exclude_none=True)
                answers[name if called == name else f"/{name}"] = dumped
    return answers


@pytest.mark.parametrize("era", ERAS)
def test_every_block_arrives_as_it_was_made(era: Era, server: Any) -> None:
    answers = anyio.run(_answers, server, era)

    for name in MANIFEST["tools"]:
        direct, through = answers[name], answers[f"/{name}"]
        assert not direct.get("isError"), direct
        if name != "report":  # whose cursors differ
            assert through["content"] == direct["content"]
        assert "structuredContent" not in through
    (chart,) = answers["chart"]["content"]
    assert (chart["type"], chart["mimeType"]) == ("image", "image/png")
    (speech,) = answers["speech"]["content"]
    assert (speech["type"], speech["mimeType"]) == ("audio", "audio/wav")
    assert answers["export"]["content"] == [
        {
            "type": "resource",
            "resource": {"uri": "report://table", "mimeType": "text/csv", "text": "a;b\n"},
            "annotations": NOTES,
            "_meta": {"rows": 1},
        }
    ]
    link = {"type": "resource_link", "uri": "https://example.com/figures", "name": "figures"}
    assert answers["source"]["content"] == [{**link, "size": 7}]
    assert answers["compare"]["content"] == [{"type": "text", "text": '{"score":0.5}'}, chart]
    assert answers["compare"]["structuredContent"] == {"score": 0.5}
    assert len(answers["large"]["content"][0]["data"]) > 13_000_000


@pytest.mark.parametrize("era", ERAS)
def test_what_is_over_the_budget_is_read_on(era: Era, server: Any) -> None:
    async def read() -> list[Any]:
        async with connected(server, era) as client:
            first = (await client.call_tool("report", {})).content
            note = getattr(first[-1], "text", "")
            asked = json.loads(note[note.index("run_read(") + len("run_read(") : -1])
            return [*first, *(await client.call_tool("run_read", asked)).content]

    first, *blocks = anyio.run(read)

    assert first.annotations.audience == ["user"]
    assert [block.type for block in blocks] == ["image", "image", "text", "image", "text"]
    assert blocks[2].text.startswith("left out: 1 of 3 images; 1 of 2 texts. Read on")
    assert blocks[4].text == "last"


def test_a_class_that_returns_content_is_strictly_typed(gallery: Project) -> None:
    typed = strictly_checked(gallery.folder, "implementation.py", path="generated")

    assert typed.code == 0, typed.out
    assert toolfold(gallery.folder, "check").code == 0


def test_try_prints_a_line_for_what_is_no_text(gallery: Project) -> None:
    said = {
        name: toolfold_process(gallery.folder, "try", name).out
        for name in ("chart", "export", "source", "compare")
    }

    picture = f"image/png, {len(CHART):,} bytes\n"
    assert said == {
        "chart": picture,
        "export": "report://table: text/csv, 4 bytes\n",
        "source": "link to https://example.com/figures (figures)\n",
        "compare": f'{{"score":0.5}}\n{picture}',
    }


def test_the_text_of_a_schema_names_the_content(gallery: Project) -> None:
    said = toolfold_process(gallery.folder, "try", "tool_schema", '{"tool": "compare"}').out

    assert f"returns: {json.dumps(RETURNS, separators=(',', ':'))}\ncontent: image\n" in said


def test_the_documented_class_works(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/content.md").read_text(encoding="utf-8")
    for language, name in (("yaml", "tools.yaml"), ("python", "gallery.py")):
        (text,) = fenced_blocks(page, language)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "chart.png").write_bytes(CHART)

    generate(tmp_path)
    typed = strictly_checked(tmp_path, "gallery.py", path="generated")
    said = [
        toolfold_process(tmp_path, "try", name).out for name in ("write_report", "compare_charts")
    ]

    assert typed.code == 0, typed.out
    picture = f"image/png, {len(CHART):,} bytes\n"
    assert said[0] == (
        f"Sales rose in May.\n{picture}sales://2026/05.csv: text/csv, 18 bytes\n"
        "link to https://example.com/sales (sales)\n"
    )
    assert said[1] == f'{{"score":0.5}}\n{picture}'


def test_the_runtime_gives_content_only_to_who_asks_for_it(tmp_path: Path) -> None:
    code = (
        "import sys, toolfold_runtime\n"
        "assert 'toolfold_runtime.content' not in sys.modules\n"
        "assert toolfold_runtime.Image is __import__('toolfold_runtime.content').content.Image\n"
        "from toolfold_runtime import *\n"
        "assert Link and ToolResult and MixedContent\n"
        "print(hasattr(toolfold_runtime, 'Picture'))"
    )

    assert python(tmp_path, "-c", code).out == "False\n"
