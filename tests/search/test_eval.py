"""`toolfold eval`: figures that were worked out by hand, and labels that are wrong."""

import json
import math
from pathlib import Path

import pytest
from toolfold.commands.evaluate import evaluate, read_queries, scores

from tests.search.catalogs import TOWN
from tests.support.commands import toolfold
from tests.support.projects import write_manifest


def gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def needs(*groups: str) -> list[frozenset[str]]:
    return [frozenset(group) for group in groups]


def test_every_figure_of_one_ranking_by_hand() -> None:
    ranking = ["x", "a", "y", "z", "w", "b", *"mnopqr", "c"]
    done = scores(ranking, needs("a", "b", "c"))

    assert done == {
        "hit@1": 0.0,
        "recall@1": 0.0,
        "recall@5": pytest.approx(1 / 3),
        "recall@10": pytest.approx(2 / 3),
        "nDCG@10": pytest.approx((gain(2) + gain(6)) / (gain(1) + gain(2) + gain(3))),
        "MRR": 0.5,
        "all-needed@10": 0.0,
    }


def test_a_perfect_ranking_is_worth_one_everywhere_but_in_recall_at_one() -> None:
    done = scores(["b", "a"], needs("a", "b"))

    assert done.pop("recall@1") == 0.5
    assert set(done.values()) == {1.0}


def test_nothing_found_is_worth_nothing() -> None:
    assert set(scores([], needs("a")).values()) == {0.0}


def test_beyond_ten_only_reciprocal_rank_looks() -> None:
    done = scores([*"0123456789", "a"], needs("a"))

    assert done.pop("MRR") == pytest.approx(1 / 11)
    assert set(done.values()) == {0.0}


def test_more_needs_than_ten_can_still_be_worth_one_in_ndcg() -> None:
    wanted = "abcdefghijkl"
    done = scores(list(wanted), needs(*wanted))

    assert done["nDCG@10"] == pytest.approx(1.0)
    assert done["recall@10"] == pytest.approx(10 / 12)
    assert done["all-needed@10"] == 0.0


def test_one_of_an_interchangeable_group_is_enough_and_a_second_gains_nothing() -> None:
    done = scores(["b", "c", "a"], needs("abc", "z"))

    assert done["recall@10"] == 0.5
    assert done["nDCG@10"] == pytest.approx(gain(1) / (gain(1) + gain(2)))


def test_a_tool_of_two_groups_meets_one_need_at_a_time() -> None:
    done = scores(["a", "b"], [frozenset("a"), frozenset("ab")])

    assert done["nDCG@10"] == pytest.approx(1.0)


def queries(folder: Path, *lines: str) -> Path:
    path = folder / "queries.jsonl"
    path.write_bytes("\n".join(lines).encode() + b"\n")
    return path


def line(name: str, query: str, *relevant: str, **more: object) -> str:
    return json.dumps({"id": name, "query": query, "relevant": relevant} | more)


def test_labels_are_read_with_their_groups_once_each(tmp_path: Path) -> None:
    path = queries(
        tmp_path,
        line("1", "x", "a::a", "b::b", "c::c", "a::a", interchangeable=[["b::b", "c::c"]] * 2),
        "",
        line("2", "y", "a::a", interchangeable=None, subset="other"),
        line("3", "one\u2028line", "a::a").replace("\\u2028", "\u2028"),
    )
    first, second, third = read_queries(path)

    assert first.needs == (frozenset(["a::a"]), frozenset(["b::b", "c::c"]))
    assert second.needs == (frozenset(["a::a"]),)
    assert third.query == "one\u2028line"


def test_figures_are_means_over_queries(tmp_path: Path) -> None:
    path = queries(tmp_path, line("1", "x", "s::a"), line("2", "y", "s::b"), line("3", "z", "s::q"))
    answers = {"x": ["s::a"], "y": ["s::a", "s::b"], "z": ["s::a"]}

    done = evaluate(
        read_queries(path), lambda query, limit: answers[query][:limit], ["s::a", "s::b"]
    )

    assert done.metrics == {
        "hit@1": pytest.approx(1 / 3),
        "recall@1": pytest.approx(1 / 3),
        "recall@5": pytest.approx(2 / 3),
        "recall@10": pytest.approx(2 / 3),
        "nDCG@10": pytest.approx((1 + gain(2)) / 3),
        "MRR": pytest.approx(0.5),
        "all-needed@10": pytest.approx(2 / 3),
    }
    assert done.unknown == 1


LABELLED = (
    line("q1", "open an issue", "github::createIssue"),
    line("q2", "videos", "youtube::search_videos", "nowhere::tool"),
)


def test_the_command_prints_a_table_and_writes_rankings(tmp_path: Path) -> None:
    manifest, out = write_manifest(tmp_path, TOWN), tmp_path / "out.jsonl"
    arguments = ["-m", str(manifest), "--rankings", str(out)]

    done = toolfold(tmp_path, "eval", str(queries(tmp_path, *LABELLED)), *arguments)
    assert done.code == 0

    assert done.out.splitlines() == [
        "2 queries",
        "hit@1          1.000",
        "recall@1       0.750",
        "recall@5       0.750",
        "recall@10      0.750",
        f"nDCG@10        {(1 + 1 / (gain(1) + gain(2))) / 2:.3f}",
        "MRR            1.000",
        "all-needed@10  0.500",
        "1 needed ids are not in this manifest and count as missed",
    ]
    rows = [json.loads(row) for row in out.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["q1", "q2"]
    assert rows[0]["ranking"][0] == "github::createIssue"
    assert rows[1]["ranking"] == ["youtube::search_videos"]
    assert set(rows[0]) == {"id", "ranking"}


def test_no_more_than_twenty_are_written(tmp_path: Path) -> None:
    tools = {f"tool_{n}": TOWN["tools"]["send_mail"] | {"id": f"s::{n}"} for n in range(30)}
    manifest, out = write_manifest(tmp_path, TOWN | {"tools": tools}), tmp_path / "out.jsonl"
    path = queries(tmp_path, line("1", "send a message", "s::1"))

    done = toolfold(tmp_path, "eval", str(path), "-m", str(manifest), "--rankings", str(out))
    assert done.code == 0
    assert len(json.loads(out.read_text(encoding="utf-8"))["ranking"]) == 20


@pytest.mark.parametrize("strategy", ["lexical", "semantic", "hybrid"])
def test_the_command_speaks_to_machines_about_any_strategy(tmp_path: Path, strategy: str) -> None:
    arguments = ["-m", str(write_manifest(tmp_path, TOWN)), "--json", "--search", strategy]

    done = toolfold(tmp_path, "eval", str(queries(tmp_path, *LABELLED)), *arguments)
    assert done.code == 0
    said = json.loads(done.out)
    assert (said["queries"], said["hit@1"], said["unknown_ids"]) == (2, 1.0, 1)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("nonsense", "not a labelled query like"),
        ("[]", "not a labelled query like"),
        ("null", "not a labelled query like"),
        ("[" * 100_000, "not a labelled query like"),
        ('{"id": 1, "query": "x"}', "not a labelled query like"),
        (line("3", "x"), "`relevant` a list of ids"),
        ('{"id": 1, "query": 5, "relevant": ["a::b"]}', "`query` must be text"),
        ('{"id": 1, "query": "x", "relevant": "a::b"}', "`relevant` a list of ids"),
        ('{"id": 1, "query": "x", "relevant": [["a"]]}', "`relevant` a list of ids"),
        (line("3", "x", "a::b", interchangeable=[[["a"]]]), "not a labelled query like"),
        (line("q1", "x", "a::b"), 'a second query with the id "q1"'),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, bad: str, why: str) -> None:
    path = queries(tmp_path, LABELLED[0], "", bad)

    done = toolfold(tmp_path, "eval", str(path), "-m", str(write_manifest(tmp_path, TOWN)))
    assert done.code == 2
    said = done.err
    assert said.startswith(f"toolfold: {path}:3: ")
    assert why in said


def test_files_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    manifest = ["-m", str(write_manifest(tmp_path, TOWN))]
    empty, good = tmp_path / "empty.jsonl", queries(tmp_path, *LABELLED)
    empty.write_text("\n", encoding="utf-8")
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")

    done = toolfold(tmp_path, "eval", str(tmp_path / "none.jsonl"), *manifest)
    assert done.code == 2
    assert "none.jsonl: cannot be read" in done.err
    done = toolfold(tmp_path, "eval", str(binary), *manifest)
    assert done.code == 2
    assert "binary.jsonl: is not UTF-8" in done.err
    done = toolfold(tmp_path, "eval", str(empty), *manifest)
    assert done.code == 2
    assert "empty.jsonl: holds no queries" in done.err
    done = toolfold(
        tmp_path, "eval", str(good), *manifest, "--rankings", str(tmp_path / "no" / "x")
    )
    assert done.code == 2
    assert "cannot be written" in done.err
