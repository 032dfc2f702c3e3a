"""This repository's own manifest: current, and the same bytes wherever it is generated."""

import os
import shutil
from pathlib import Path

import pytest
from toolfold.compile import compile_manifest

from manual.pages import out_of_date, undocumented
from tests.support.commands import toolfold_process
from tests.support.projects import ROOT, files_in

GENERATED = ROOT / "generated"


def generate(folder: Path, *options: str, **environment: str) -> str:
    done = toolfold_process(folder, "generate", *options, environment=environment)
    assert done.code == 0, done.err
    return done.out


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The manifest in a folder of its own."""
    folder = tmp_path / "copy"
    folder.mkdir()
    shutil.copy(ROOT / "tools.yaml", folder)
    return folder


def test_every_key_flag_and_public_name_is_documented_with_an_example() -> None:
    assert undocumented() == []


def test_the_reference_is_what_the_source_says_today() -> None:
    assert out_of_date() == [], "run `.venv/bin/python -m manual`"


def test_the_overview_of_each_kind_leads_to_all_of_its_pages() -> None:
    kinds = ("tutorial", "how-to", "reference", "explanation")
    missing = [
        page.relative_to(ROOT).as_posix()
        for kind in kinds
        for page in (ROOT / "docs" / kind).glob("*.md")
        if page.name != "index.md"
        and f"]({page.name})" not in (page.parent / "index.md").read_text(encoding="utf-8")
    ]

    assert missing == []


def test_generated_is_what_the_manifest_generates_today() -> None:
    compiled = compile_manifest(ROOT / "tools.yaml")
    expected = {str(path): text.encode() for path, text in compiled.files.items()}
    found = files_in(GENERATED)

    assert sorted(found) == sorted(expected), "run `toolfold generate`"
    assert [path for path in expected if found[path] != expected[path]] == []
    assert compiled.summary.warnings == ()


def test_two_interpreters_generate_the_same_bytes(copy: Path, tmp_path: Path) -> None:
    other = tmp_path / "örtlich ağ"
    shutil.copytree(copy, other)
    generate(
        copy,
        "--no-cache",
        PYTHONHASHSEED="0",
        LANG="C",
        LC_ALL="C",
        TZ="UTC",
        PYTHONUTF8="0",
    )
    generate(
        Path("/"),
        "--no-cache",
        "-m",
        str(other / "tools.yaml"),
        PYTHONHASHSEED="4242",
        LANG="tr_TR.UTF-8",
        LC_ALL="tr_TR.UTF-8",
        TZ="Asia/Kathmandu",
    )

    assert files_in(copy / "generated") == files_in(other / "generated")


def test_a_cache_changes_no_byte(copy: Path) -> None:
    generate(copy)
    shutil.rmtree(copy / "generated")
    generate(copy)
    cached = files_in(copy / "generated")
    shutil.rmtree(copy / "generated")
    generate(copy, "--no-cache")

    assert cached == files_in(copy / "generated")


def test_generating_twice_writes_nothing(copy: Path) -> None:
    generate(copy)
    before = {p: p.stat().st_mtime_ns for p in (copy / "generated").rglob("*")}
    said = generate(copy)
    after = {p: p.stat().st_mtime_ns for p in (copy / "generated").rglob("*")}

    assert "0 written" in said
    assert "removed" not in said
    assert after == before


def test_changing_one_summary_leaves_other_tools_files_alone(copy: Path) -> None:
    generate(copy)
    before = files_in(copy / "generated")
    manifest = copy / "tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace("Full-text search", "Search by words"), encoding="utf-8")
    generate(copy)
    after = files_in(copy / "generated")

    assert {path for path in after if after[path] != before[path]} == {
        "docs/categories/query.md",
        "docs/index.md",  # which names it among the hot tools
        "docs/llms.txt",
        "docs/tools/tana_search.md",
        "tana_mcp/catalog/categories/query.jsonl",
        "tana_mcp/catalog/inventory.jsonl",
        "tana_mcp/catalog/prompts.json",
        "tana_mcp/catalog/search/grams.jsonl",
        "tana_mcp/catalog/search/pairs.jsonl",
        "tana_mcp/catalog/search/tools.jsonl",
        "tana_mcp/catalog/search/words.jsonl",
        "tana_mcp/catalog/summaries.jsonl",
        "tana_mcp/handlers.py",
    }


def test_generated_text_names_no_place_of_this_machine() -> None:
    home, host = str(Path.home()).encode(), os.uname().nodename.encode()
    texts = files_in(GENERATED)

    assert [path for path, text in texts.items() if str(ROOT).encode() in text] == []
    assert [path for path, text in texts.items() if len(home) > 1 and home + b"/" in text] == []
    assert [path for path, text in texts.items() if len(host) > 4 and host in text] == []
