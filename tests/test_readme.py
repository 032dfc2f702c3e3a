"""The README is true: its commands run as written, its manifest and its class work together."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.support.checker import strictly_checked
from tests.support.commands import Result, toolfold_process
from tests.support.documents import fenced_blocks
from tests.support.projects import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = [page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md")]


def blocks(language: str) -> list[str]:
    return fenced_blocks(README, language)


def run(command: str, folder: Path) -> Result:
    program, *arguments = shlex.split(command)
    assert program == "toolfold"
    return toolfold_process(folder, *arguments)


def test_a_server_in_a_minute_answers_as_written(tmp_path: Path) -> None:
    (walk,) = [block for block in blocks("console") if "toolfold init" in block]
    folder, said = tmp_path, ""
    for line in walk.splitlines():
        if not line.startswith("$ "):
            assert line in said.splitlines()
        elif line.startswith("$ cd "):
            folder /= line.removeprefix("$ cd ")
        else:
            done = run(line.removeprefix("$ "), folder)
            assert done.code == 0, done.err
            said = done.out


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (manifest,) = blocks("yaml")
    (implementation,) = blocks("python")
    (tmp_path / "tools.yaml").write_text(manifest, encoding="utf-8")
    (tmp_path / "notes.py").write_text(implementation, encoding="utf-8")
    assert run("toolfold generate", tmp_path).code == 0
    return tmp_path


def test_the_conversation_goes_as_shown(notes: Path) -> None:
    (conversation,) = [block for block in blocks("") if block.startswith("capabilities()")]
    calls = {
        "capabilities()": "toolfold try capabilities",
        'tool_schema("find_notes")': """toolfold try tool_schema '{"tool": "find_notes"}'""",
        'find_notes({"query":"x"})': """toolfold try find_notes '{"query": "x"}'""",
    }
    for line in conversation.splitlines():
        call, answer = re.split(r"  +", line, maxsplit=1)
        assert run(calls[call], notes).out.startswith(answer.removesuffix("…")), call


def test_the_class_satisfies_the_generated_protocol(notes: Path) -> None:
    done = strictly_checked(notes, "notes.py", path="generated")
    assert done.code == 0, done.out


def test_the_hooks_that_are_named_are_offered() -> None:
    page = (ROOT / "docs/how-to/ci.md").read_text(encoding="utf-8")
    (configuration,) = [b for b in fenced_blocks(page, "yaml") if b.startswith("repos:")]
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (used,) = yaml.safe_load(configuration)["repos"][0]["hooks"]

    assert {hook["id"] for hook in offered} == {"toolfold-generate", "toolfold-check"}
    assert used["id"] in {hook["id"] for hook in offered}


@pytest.mark.parametrize("page", ["README.md", *sorted(DOCS)])
def test_links_lead_to_headings_that_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target, heading in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
        led_to = (ROOT / page).parent / target if target else ROOT / page
        assert led_to.exists(), target
        assert not heading or heading in headings(led_to.read_text(encoding="utf-8")), heading


def headings(text: str) -> set[str]:
    """The anchors of a page: its headings in small letters, with `-` for spaces."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
