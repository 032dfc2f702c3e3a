"""`toolfold docs build`: what lies in a site, what is refused, and what changed since a revision."""

import json
import re
import shutil
from pathlib import Path
from typing import Final, get_args

import pytest
from toolfold.plan.disclosure.tokens import count
from toolfold_runtime.contract.vocabulary import Code

from tests.site.material import built
from tests.support.commands import must, program, toolfold_process

MANIFEST: Final = """\
toolfold: 1
server: {name: demo, version: "1", description: A demo}
categories: {all: {title: All, description: Everything}}
include: [more/*.yaml]
tools:
  find:
    category: all
    effect: read
    summary: Find
    content: link
    parameters:
      query: {type: string, required: true}
      limit: {type: integer, default: 20}
"""
MORE: Final = "tools:\n  show: {category: all, effect: read, summary: Show}\n"


def write_project(folder: Path) -> Path:
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    (folder / "more").mkdir()
    (folder / "more" / "one.yaml").write_text(MORE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that is only read."""
    return built(write_project(tmp_path_factory.mktemp("site")))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path)


@pytest.fixture
def built_project(site: Path, tmp_path: Path) -> Path:
    """A project whose site was built already."""
    return shutil.copytree(site.parent, tmp_path / "built")


def git(folder: Path, *arguments: str) -> None:
    must(folder, "git", "-c", "commit.gpgsign=false", *arguments)


def test_markdown_lies_beside_every_page_and_agents_find_it(site: Path) -> None:
    pages = {p.relative_to(site).with_suffix("") for p in site.rglob("*.html")} - {Path("404")}
    markdown = {p.relative_to(site).with_suffix("") for p in site.rglob("*.md")}

    assert pages == markdown
    assert (site / "tools/find.md").read_text(encoding="utf-8").startswith("# `find`\n")
    index = (site / "llms.txt").read_text(encoding="utf-8")
    assert index.startswith("# demo\n\n> A demo\n")
    for line in ("[`find`](tools/find.md): Find", "(llms-full.txt)", "(catalog.json)"):
        assert line in index
    full = (site / "llms-full.txt").read_text(encoding="utf-8")
    assert f"{len(pages)} of {len(pages)} pages, within 100,000 o200k tokens" in full
    assert not re.search("<[!/]", full)
    catalog = json.loads((site / "catalog.json").read_text(encoding="utf-8"))
    assert [tool["name"] for tool in catalog["tools"]] == ["find", "show"]
    assert catalog["tools"][0]["inputSchema"]["required"] == ["query"]
    assert catalog["tools"][0]["content"] == "link"
    assert (site / catalog["tools"][0]["page"]).is_file()
    assert (site / catalog["tools"][0]["markdown"]).is_file()


def test_every_error_code_is_explained(site: Path) -> None:
    page = (site / "agents.md").read_text(encoding="utf-8")
    told = page.partition("## Errors")[2].partition("## Files")[0]

    assert tuple(re.findall(r"^### (\w+)$", told, re.MULTILINE)) == tuple(
        code
        for code in get_args(Code)
        if "program" not in code  # only where there are programs
    )


def test_the_full_text_keeps_its_budget() -> None:
    from toolfold.plan.docs.llms import full_text

    pages = {f"tools/t{n}.md": f"# t{n}\n\n" + "word " * 100 for n in range(100)}
    text = full_text(pages, budget=3000)

    assert count(text) <= 3000
    assert count(text) > 2500
    assert " of 100 pages, within 3,000 o200k tokens. The others" in text


def test_a_build_is_refused_while_the_docs_are_not_current(built_project: Path) -> None:
    project = built_project
    before = (project / "site/index.html").read_bytes()
    manifest = project / "tools.yaml"
    manifest.write_text(MANIFEST.replace("summary: Find", "summary: Seek"), encoding="utf-8")
    said = toolfold_process(project, "docs", "build")

    assert said.code == 1
    assert "generated/docs/tools/find.md: out of date" in said.out
    assert "run `toolfold generate`" in said.err
    assert (project / "site/index.html").read_bytes() == before


def test_a_folder_that_is_not_a_site_of_ours_is_left_alone(project: Path) -> None:
    (project / "site").mkdir()
    (project / "site" / "mine.txt").write_text("mine", encoding="utf-8")
    assert toolfold_process(project, "generate", "-q").code == 0
    said = toolfold_process(project, "docs", "build")

    assert said.code == 1
    assert "site: was not built by toolfold; give another with --site" in said.err
    assert [path.name for path in (project / "site").iterdir()] == ["mine.txt"]
    assert toolfold_process(project, "docs", "build", "--site", "public").code == 0
    assert (project / "public/index.html").is_file()


def test_two_builds_are_alike_and_leave_nothing_behind(built_project: Path) -> None:
    project = built_project
    pages = (project / "site").rglob("*.html")
    first = {p.relative_to(project): p.read_bytes() for p in pages}
    second = {p.relative_to(project): p.read_bytes() for p in built(project).rglob("*.html")}

    assert first == second
    names = {path.name for path in project.iterdir()}
    assert names == {"generated", "more", "site", "tools.yaml"}


def test_changes_since_a_revision_are_told_by_parameter(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", "tools.yaml", "more")
    git(project, "commit", "-qm", "one")
    new = MANIFEST.replace("default: 20", "default: 25, maximum: 50").replace("required: true", "")
    new = new.replace("content: link", "content: file")
    new += "      page: {type: integer}\n  made: {category: all, effect: write, summary: Make}\n"
    (project / "tools.yaml").write_text(new, encoding="utf-8")
    shown = "tools:\n  display: {category: all, effect: read, summary: Show, aliases: [show]}\n"
    (project / "more" / "one.yaml").write_text(shown, encoding="utf-8")
    site = built(project, "--since", "HEAD")
    page = (site / "changes.md").read_text(encoding="utf-8")

    assert "## Added\n\n- [`made`](tools/made.md): Make" in page
    assert "- `show` is now [`display`](tools/display.md)" in page
    assert "- **Breaking:** content: `link` → `file`" in page
    assert "- parameter `page` added: `int`" in page
    assert "- parameter `query`: no longer required" in page
    assert "- parameter `limit`: default `20` → `25`\n" in page
    assert "- **Breaking:** parameter `limit`: `maximum` none → `50`\n" in page
    assert "## Breaking\n\n- [`find`](tools/find.md): content: `link` → `file`\n" in page
    assert "other words" not in page
    assert "Removed" not in page
    assert 'href="changes.html"' in (site / "index.html").read_text(encoding="utf-8")


def test_a_removed_tool_is_told_and_a_revision_that_is_none_refused(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", "tools.yaml", "more")
    git(project, "commit", "-qm", "one")
    (project / "more" / "one.yaml").write_text(MORE.replace("show", "look"), encoding="utf-8")
    page = (built(project, "--since", "HEAD") / "changes.md").read_text(encoding="utf-8")
    refused = toolfold_process(project, "docs", "build", "--since", "nowhere")

    assert "## Removed\n\n- `show`: Show" in page
    assert refused.code == 2
    assert refused.err.startswith("toolfold: git: ")
    assert "Traceback" not in refused.err


def test_without_the_extra_the_answer_names_it(project: Path) -> None:
    hide = "import sys; sys.modules['pyromark'] = None\n"
    code = f"{hide}from toolfold.cli.main import main; sys.exit(main(['docs', 'build']))"
    done = program(project, code)

    assert done.code == 2
    assert (
        done.err == "toolfold docs needs the site builder: pip install 'toolfold[generate,docs]'\n"
    )
