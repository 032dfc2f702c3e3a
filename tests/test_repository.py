"""This repository's own manifest: current, and the same bytes wherever it is generated."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from toolfold.compile import compile_manifest

ROOT = Path(__file__).parents[1]
GENERATED = ROOT / "generated"


def tree_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def toolfold(*arguments: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "toolfold", *arguments],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The manifest in a folder of its own."""
    folder = tmp_path / "copy"
    folder.mkdir()
    shutil.copy(ROOT / "tools.yaml", folder)
    return folder


def test_generated_is_what_the_manifest_generates_today() -> None:
    compiled = compile_manifest(ROOT / "tools.yaml")
    expected = {str(path): text.encode() for path, text in compiled.files.items()}
    found = tree_of(GENERATED)

    assert sorted(found) == sorted(expected), "run `toolfold generate`"
    assert [path for path in expected if found[path] != expected[path]] == []
    assert compiled.warnings == ()


def test_two_interpreters_generate_the_same_bytes(copy: Path, tmp_path: Path) -> None:
    other = tmp_path / "örtlich ağ"
    shutil.copytree(copy, other)
    toolfold(
        "generate",
        "--no-cache",
        cwd=copy,
        PYTHONHASHSEED="0",
        LANG="C",
        LC_ALL="C",
        TZ="UTC",
        PYTHONUTF8="0",
    )
    toolfold(
        "generate",
        "--no-cache",
        "-m",
        str(other / "tools.yaml"),
        cwd=Path("/"),
        PYTHONHASHSEED="4242",
        LANG="tr_TR.UTF-8",
        LC_ALL="tr_TR.UTF-8",
        TZ="Asia/Kathmandu",
    )

    assert tree_of(copy / "generated") == tree_of(other / "generated")


def test_a_cache_changes_no_byte(copy: Path) -> None:
    toolfold("generate", cwd=copy)
    shutil.rmtree(copy / "generated")
    toolfold("generate", cwd=copy)
    cached = tree_of(copy / "generated")
    shutil.rmtree(copy / "generated")
    toolfold("generate", "--no-cache", cwd=copy)

    assert cached == tree_of(copy / "generated")


def test_generating_twice_writes_nothing(copy: Path) -> None:
    toolfold("generate", cwd=copy)
    before = {p: p.stat().st_mtime_ns for p in (copy / "generated").rglob("*")}
    said = toolfold("generate", cwd=copy)
    after = {p: p.stat().st_mtime_ns for p in (copy / "generated").rglob("*")}

    assert "0 written" in said
    assert "removed" not in said
    assert after == before


def test_changing_one_summary_leaves_other_tools_files_alone(copy: Path) -> None:
    toolfold("generate", cwd=copy)
    before = tree_of(copy / "generated")
    manifest = copy / "tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace("Full-text search", "Search by words"), encoding="utf-8")
    toolfold("generate", cwd=copy)
    after = tree_of(copy / "generated")

    assert {path for path in after if after[path] != before[path]} == {
        "docs/categories/query.md",
        "docs/llms.txt",
        "docs/tools/tana_search.md",
        "tana_mcp/catalog/categories/query.jsonl",
        "tana_mcp/catalog/inventory.jsonl",
        "tana_mcp/catalog/search/grams.jsonl",
        "tana_mcp/catalog/search/pairs.jsonl",
        "tana_mcp/catalog/search/tools.jsonl",
        "tana_mcp/catalog/search/words.jsonl",
        "tana_mcp/handlers.py",
    }


def test_generated_text_names_no_place_of_this_machine() -> None:
    home, host = str(Path.home()).encode(), os.uname().nodename.encode()
    texts = tree_of(GENERATED)

    assert [path for path, text in texts.items() if str(ROOT).encode() in text] == []
    assert [path for path, text in texts.items() if len(home) > 1 and home + b"/" in text] == []
    assert [path for path, text in texts.items() if len(host) > 4 and host in text] == []
