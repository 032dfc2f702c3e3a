"""`toolfold tiers` and `toolfold usage`: what was recorded, scored, and written into an overlay."""

import csv
import json
import time
from pathlib import Path

import pytest
from toolfold_runtime.usage.rows import UsageRow, bucket_of
from toolfold_runtime.usage.sqlite import open_sqlite

from tests.support.commands import toolfold, toolfold_process
from tests.support.projects import small_manifest, write_manifest

HOUR = int(time.time()) // 3600


def recorded(store: Path, **calls: tuple[int, int, float]) -> None:
    """A store with calls, failures and the latency of tools."""
    rows = []
    for name, (ok, failed, millis) in calls.items():
        for outcome, number in (("ok", ok), ("backend_failed", failed), ("asked", 3)):
            if number:
                bucket = bucket_of(millis)
                tool = f"demo::{name}"
                total = number * millis
                rows.append(UsageRow(tool, outcome, HOUR - 1, bucket, number, total, HOUR * 3600.0))
    opened = open_sqlite(store, makes_folder=False)
    opened.add(sorted(rows))
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    manifest = small_manifest("first", "second", "third")
    write_manifest(tmp_path, manifest)
    recorded(tmp_path / "u.db", first=(9990, 10, 50), second=(30, 30, 2000), third=(19, 0, 1))
    return tmp_path


def test_scores_are_the_weighted_parts_and_few_calls_are_not_ranked(folder: Path) -> None:
    done = toolfold(folder, "tiers", "--usage", "u.db", "--format", "json")
    first, second, third = json.loads(done.out)["tools"]

    assert (first["tool"], first["by_usage"]["tier"]) == ("first", "hot")
    assert first["by_usage"]["parts"] == {
        "popularity": 0.4,
        "success": pytest.approx(0.2997),
        "latency": pytest.approx(0.19),
        "recency": 0.1,
    }
    assert second["by_usage"]["tier"] == "cold"
    assert second["by_usage"]["parts"]["latency"] == 0
    assert (third["calls"], third["by_usage"]) == (19, None)


def test_an_update_writes_an_overlay_that_views_follow(folder: Path) -> None:
    first = toolfold(folder, "tiers", "update", "--usage", "u.db")
    text = (folder / "tiers.yaml").read_text(encoding="utf-8")
    again = toolfold(folder, "tiers", "update", "--usage", "u.db")
    write_manifest(
        folder, small_manifest("first", "second", "third") | {"overlays": ["tiers.yaml"]}
    )
    toolfold(folder, "generate")
    shown = toolfold(folder, "try", "capabilities", '{"detail": "hot"}')

    assert "first: none -> hot" in first.out
    assert "overlays: [tiers.yaml]" in first.err
    assert "third" not in text
    assert "unchanged" in again.out
    assert json.loads(shown.out)["by"] == "usage"
    assert "50 ms, 99 % of 10,000 calls" in json.loads(shown.out)["tools"][0]


@pytest.mark.parametrize(
    ("millis", "shown"), [(0.4, 0), (0.6, 1), (9.6, 10), (14.7, 15), (994, 990), (9960, 10000)]
)
def test_figures_of_the_overlay_are_rounded_to_two_digits(
    millis: float, shown: int, tmp_path: Path
) -> None:
    write_manifest(tmp_path, small_manifest("first"))
    recorded(tmp_path / "u.db", first=(20, 0, millis))
    toolfold(tmp_path, "tiers", "update", "--usage", "u.db")

    assert f'"latency_ms": {shown},' in (tmp_path / "tiers.yaml").read_text(encoding="utf-8")


def test_an_update_replaces_no_file_of_somebody_else(folder: Path) -> None:
    (folder / "tiers.yaml").write_text("tools: {}\n", encoding="utf-8")
    done = toolfold(folder, "tiers", "update", "--usage", "u.db")

    assert done.code != 0
    assert "did not write this file" in done.err
    assert (folder / "tiers.yaml").read_text(encoding="utf-8") == "tools: {}\n"


def test_without_usage_nothing_is_written(folder: Path) -> None:
    done = toolfold(folder, "tiers", "update", "--usage", "nothing.db")
    off = toolfold(folder, "tiers", "--usage", "off")

    assert (done.code, off.code) == (0, 0)
    assert "no usage of these tools yet" in done.out
    assert "usage is off" in off.out
    assert not (folder / "tiers.yaml").exists()
    assert not (folder / "nothing.db").exists()


def test_usage_is_shown_by_tool_category_and_day(folder: Path) -> None:
    by_tool = json.loads(toolfold(folder, "usage", "--usage", "u.db", "--format", "json").out)[
        "rows"
    ]
    by_category = toolfold(
        folder, "usage", "--usage", "u.db", "--by", "category", "--format", "csv"
    )
    by_day = toolfold(folder, "usage", "--usage", "u.db", "--by", "day")
    rows = list(csv.DictReader(by_category.out.splitlines()))

    assert [row["name"] for row in by_tool] == ["first", "second", "third"]
    assert (by_tool[1]["calls"], by_tool[1]["failures"], by_tool[1]["not_run"]) == (63, 30, 3)
    assert by_tool[1]["p50_ms"] == pytest.approx(2000, rel=0.05)
    assert [row["calls"] for row in rows] == [str(sum(row["calls"] for row in by_tool))]
    assert by_day.code == 0
    assert "10,088" in by_day.out


def test_calls_that_were_not_carried_out_have_no_latency(tmp_path: Path) -> None:
    write_manifest(tmp_path, small_manifest("first"))
    recorded(tmp_path / "u.db", first=(0, 0, 0))
    usage = ("usage", "--usage", "u.db")
    by_tool = json.loads(toolfold(tmp_path, *usage, "--format", "json").out)["rows"][0]
    by_day = toolfold(tmp_path, *usage, "--by", "day", "--format", "csv").out.splitlines()[1]
    shown = toolfold(tmp_path, *usage).out.splitlines()[1]

    assert (by_tool["calls"], by_tool["average_ms"], by_tool["p95_ms"]) == (3, None, None)
    assert by_day.endswith(",3,0,3,,,")
    assert shown.split() == ["first", "3", "0", "–", "–", "–"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("postgresql://me:secret@host/db", "TOOLFOLD_USAGE"),
        ("broken.db", "not a database"),
        (".", "no file"),
    ],
)
def test_a_store_that_cannot_be_read_is_said_without_a_traceback(
    given: str, words: str, folder: Path
) -> None:
    (folder / "broken.db").write_bytes(b"something else" * 100)
    done = toolfold(folder, "usage", "--usage", given)

    assert done.code == 2
    assert words in done.err
    assert "secret" not in done.err
    assert "Traceback" not in done.err


def test_a_site_has_live_figures_only_where_a_store_is_named(folder: Path) -> None:
    toolfold(folder, "generate", "-q")
    plain = toolfold_process(folder, "docs", "build")
    without = {path.name for path in (folder / "site").iterdir()}
    live = toolfold_process(folder, "docs", "build", "--usage", "u.db")
    page = (folder / "site" / "usage.md").read_text(encoding="utf-8")

    assert (plain.code, live.code) == (0, 0), live.text
    assert "usage.html" not in without
    assert "# Usage\n\nIn the 30 days before this site was built: 10,088 calls of 3 tools" in page
    assert "| [`first`](tools/first.md) | 10,003 | 10 | 50 ms | " in page
    assert "## Days" in page
    assert (folder / "site" / "usage.html").is_file()
    assert "usage" not in toolfold(folder, "check").text
