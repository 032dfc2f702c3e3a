"""Stored results never show in output: an edited manifest gives what a fresh run would give."""

import copy
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold.compile import Compiled, compile_manifest
from toolfold.errors import ManifestError
from toolfold.memo.store import FileStore, Store

Json = dict[str, Any]
Edit = Callable[[Json], object]

_MANIFEST: Final[Json] = {
    "toolfold": 1,
    "server": {"name": "shop", "version": "1.0.0"},
    "categories": {"orders": {"title": "Orders"}, "people": {"description": "Who buys."}},
    "$defs": {"Money": {"type": "integer", "minimum": 0}},
    "disclosure": {"exposure": "auto"},
    "tools": {
        "find_order": {
            "category": "orders",
            "summary": "Find an order.",
            "effect": "read",
            "example": "where is my parcel",
            "consumes": ["order_id"],
            "related": ["pay"],
            "parameters": {"number": {"type": "string", "required": True}},
        },
        "pay": {
            "category": "orders",
            "summary": "Pay an order.",
            "effect": "write",
            "generates": ["receipt"],
            "parameters": {"amount": {"$ref": "#/$defs/Money", "required": True}},
            "returns": {"type": "array", "items": {"type": "string"}},
        },
        "foreign": {
            "category": "people",
            "summary": "Something imported.",
            "effect": "read",
            "input_schema": {
                "properties": {"flag": {"type": "boolean", "default": "no"}},
                "x-vendor": 1,
            },
        },
        # So many that an edit of a few of them is worth less than all.
        **{
            f"count_{word}": {
                "category": "people",
                "summary": f"Count every {word} of the shop.",
                "effect": "read",
            }
            for word in [
                "hat",
                "coat",
                "shoe",
                "sock",
                "scarf",
                "glove",
                "belt",
                "shirt",
                "skirt",
                "dress",
                "tie",
                "cap",
            ]
        },
    },
}

_EDITS: Final[list[Edit]] = [
    lambda m: m["tools"]["pay"]["parameters"].update(note={"type": "string"}),
    lambda m: m["tools"]["pay"].update(summary="Settle an order."),
    lambda m: m["tools"]["pay"].update(summary="Settle, or pay, an order of hats by card."),
    lambda m: m["tools"]["count_tie"].update(
        summary="Ties: how many?", tags=["wear", "Ñandú 帽子"]
    ),
    lambda m: m["tools"]["count_cap"].update(title="Caps", aliases=["caps"]),
    lambda m: m["tools"]["pay"].update(notes="Two\nlines: 'and a quote'"),
    lambda m: m["tools"]["pay"].update(backend={"python": "settle"}),
    lambda m: m["tools"]["pay"].update(generates=["order_id"]),
    lambda m: m["tools"]["pay"].update(tier="hot"),
    lambda m: m["tools"]["foreign"].update(category="orders"),
    lambda m: m["tools"]["foreign"]["input_schema"].update({"x-other": 2}),
    lambda m: m["tools"]["find_order"].update(examples=[{"arguments": {"number": "7"}}]),
    lambda m: m["tools"].update(extra=copy.deepcopy(_MANIFEST["tools"]["pay"])),
    lambda m: m["tools"].pop("extra", None),
    lambda m: m["$defs"]["Money"].update(maximum=10),
    lambda m: m["categories"]["orders"].update(title="Purchases"),
    lambda m: m["server"].update(name="market"),
    lambda m: m["disclosure"].update(exposure="progressive"),
    lambda m: m["disclosure"].update(format="text"),
    lambda m: m["disclosure"].update(quick_actions={"Pay": "pay"}),
    lambda m: m.update(workflows=[{"name": "Buy", "steps": ["find_order", "pay"]}]),
]


def written(folder: Path, manifest: Json, lines_above: int) -> Path:
    path = folder / "tools.yaml"
    text = "# moved\n" * lines_above + yaml.safe_dump(manifest, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    return path


def store_beside(path: Path) -> FileStore:
    return FileStore(path.with_suffix(".memo"), "fingerprint")


def compiled_with_store(path: Path) -> Compiled:
    store = store_beside(path)
    compiled = compile_manifest(path, store=store)
    store.save()
    return compiled


@settings(max_examples=8)
@given(st.lists(st.tuples(st.sampled_from(_EDITS), st.integers(0, 3)), min_size=1, max_size=4))
def test_an_edited_manifest_compiles_to_what_a_fresh_run_would_give(
    edits: list[tuple[Edit, int]],
) -> None:
    manifest = copy.deepcopy(_MANIFEST)
    with TemporaryDirectory() as name:
        compiled_with_store(written(Path(name), manifest, 0))
        for edit, lines_above in edits:
            edit(manifest)
            path = written(Path(name), manifest, lines_above)

            stored, fresh = compiled_with_store(path), compile_manifest(path)

            assert stored.files == fresh.files
            assert stored.summary.costs == fresh.summary.costs
            assert list(map(repr, stored.summary.warnings)) == list(
                map(repr, fresh.summary.warnings)
            )


MISTAKES: Final[dict[str, Edit]] = {
    "a tool that writes is cached": lambda m: m["tools"]["pay"].update(cache={"ttl": 5}),
    "two schemas": lambda m: m["tools"]["pay"].update(input_schema={"type": "object"}),
    "an annotation": lambda m: m["tools"]["pay"].update(annotations={"readOnlyHint": "yes"}),
    "an unknown category": lambda m: m["tools"]["pay"].update(category="none"),
    "an unknown tool": lambda m: m["tools"]["pay"].update(related=["none"]),
    "an alias that is taken": lambda m: m["tools"]["pay"].update(aliases=["foreign"]),
    "an unknown key": lambda m: m["tools"]["pay"].update(colour="red"),
    "a default": lambda m: m["tools"]["find_order"]["parameters"]["number"].update(default=5),
    "a budget": lambda m: m["disclosure"].update(budgets={"schema": 5}),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_for_as_long_as_it_is_there(mistake: Edit, tmp_path: Path) -> None:
    manifest = copy.deepcopy(_MANIFEST)
    good = compiled_with_store(written(tmp_path, manifest, 0))
    mistake(manifest)

    path = written(tmp_path, manifest, 1)

    with pytest.raises(ManifestError) as fresh:
        compile_manifest(path)
    for _ in range(3):
        with pytest.raises(ManifestError) as again:
            compiled_with_store(path)
        assert list(map(repr, again.value.problems)) == list(map(repr, fresh.value.problems))
    assert compiled_with_store(written(tmp_path, copy.deepcopy(_MANIFEST), 0)).files == good.files


HEAD: Final = "toolfold: 1\nserver: {name: shop, version: '1'}\ncategories: {c: {}}\n"


def one(name: str, *lines: str) -> str:
    body = ["category: c", "effect: read", f"summary: Does {name}.", *lines]
    return "".join([f"  {name}:\n", *(f"    {line}\n" for line in body)])


#: Two texts of a manifest, and of a file that it may include: before an edit and after it.
TEXTS: Final[dict[str, tuple[tuple[str, str], tuple[str, str]]]] = {
    "a tool is renamed that is related by its id": (
        (f"{HEAD}tools:\n{one('a', 'id: x::y')}{one('d', 'related: [x::y]')}", ""),
        (f"{HEAD}tools:\n{one('q', 'id: x::y')}{one('d', 'related: [x::y]')}", ""),
    ),
    "two tools swap their ids": (
        (f"{HEAD}tools:\n{one('a', 'id: x::y')}{one('b', 'id: x::z')}{one('d', 'related: [x::y]')}", ""),
        (f"{HEAD}tools:\n{one('a', 'id: x::z')}{one('b', 'id: x::y')}{one('d', 'related: [x::y]')}", ""),
    ),
    "an included file gets tools that are nothing": (
        (f"{HEAD}include: [part.yaml]\ntools:\n{one('a')}", "$defs: {}\n"),
        (f"{HEAD}include: [part.yaml]\ntools:\n{one('a')}", "$defs: {}\ntools: ~\n"),
    ),
    "the manifest gets tools that are nothing": (
        (f"{HEAD}include: [part.yaml]\n", f"tools:\n{one('a')}"),
        (f"{HEAD}include: [part.yaml]\ntools:", f"tools:\n{one('a')}"),
    ),
    "no tool is left": ((f"{HEAD}tools:\n{one('a')}", ""), (f"{HEAD}tools:\n", "")),
    "a tool loses its indentation": (
        (f"{HEAD}tools:\n{one('a')}", ""),
        (f"{HEAD}tools:\na:\n  category: c\n", ""),
    ),
    "a bracket closes what is not open": (
        (f"{HEAD}tools:\n{one('a')}", ""),
        (f"{HEAD}tools:\n}}\n", ""),
    ),
    "all becomes one flow mapping": (
        (f"{HEAD}tools:\n{one('a')}", ""),
        (f"{{toolfold: 1, server: {{name: shop, version: '1'}}, categories: {{c: {{}}}},\ntools:\n{one('a')}}}\n", ""),
    ),
    "a tool moves into a quoted text": (
        ('toolfold: 1\nserver: {name: shop, version: "1"}\ncategories: {c: {description: "foo tools:\\n\\n\\n\\n"}}\ninclude: [part.yaml]\n', f"tools:\n{one('a')}{one('b')}"),
        (f'toolfold: 1\nserver: {{name: shop, version: "1"}}\ncategories: {{c: {{description: "foo\ntools:\n{one("a")}"}}}}\ninclude: [part.yaml]\n', f"tools:\n{one('b')}"),
    ),
    "a tool moves to another file": (
        (f"{HEAD}include: [part.yaml]\ntools:\n{one('a')}{one('b')}", f"tools:\n{one('d')}"),
        (f"{HEAD}include: [part.yaml]\ntools:\n{one('a')}", f"tools:\n{one('b')}{one('d')}"),
    ),
}  # fmt: skip


def outcome(path: Path, store: Store | None) -> object:
    """Everything that compiling gives, or every problem."""
    try:
        done = compile_manifest(path, store=store)
    except ManifestError as error:
        return list(map(repr, error.problems))
    if store is not None:
        store.save()
    return done.files, done.summary.costs, list(map(repr, done.summary.warnings))


@pytest.mark.parametrize(("before", "after"), TEXTS.values(), ids=TEXTS)
def test_stored_results_never_show_whatever_becomes_of_the_text(
    before: tuple[str, str], after: tuple[str, str], tmp_path: Path
) -> None:
    path, part = tmp_path / "tools.yaml", tmp_path / "part.yaml"
    for manifest, included in (before, after, after, before):
        path.write_text(manifest, encoding="utf-8")
        part.write_text(included, encoding="utf-8")
        assert outcome(path, store_beside(path)) == outcome(path, None)


def test_manifests_that_share_a_store_do_not_share_results(tmp_path: Path) -> None:
    names = ("m", "m category", "m words", "m view")
    for summary in ("First", "Second", "Third"):
        for name in names:
            path = tmp_path / name
            tools = f"{one('a', f'title: {summary} {name}')}{one('counts')}"
            head = HEAD.replace("{c: {}}", "{c: {}, counts: {}, words: {}}")
            path.write_text(f"{head}tools:\n{tools}", encoding="utf-8")
            store = FileStore(tmp_path / "shared.memo", "fingerprint")
            assert outcome(path, store) == outcome(path, None)


class RecordingStore(Store):
    """A store that holds texts in memory and tells which keys were new."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.new: list[str] = []

    def get(self, key: str) -> str | None:
        return self.texts.get(key)

    def put(self, key: str, text: str) -> None:
        self.texts[key] = text
        self.new.append(key.partition(":")[0])

    def save(self) -> None:
        self.new.clear()


def test_only_what_an_edit_touches_is_made_again(tmp_path: Path) -> None:
    manifest, store = copy.deepcopy(_MANIFEST), RecordingStore()
    compile_manifest(written(tmp_path, manifest, 0), store=store)
    first = Counter(store.new)
    store.save()
    manifest["tools"]["pay"]["notes"] = "Cards only."

    compile_manifest(written(tmp_path, manifest, 2), store=store)

    assert first["tool"] == 15
    assert Counter(store.new) == {"tool": 1, "page": 1}


def test_there_are_six_kinds_of_results_at_most(tmp_path: Path) -> None:
    store = RecordingStore()
    compile_manifest(written(tmp_path, copy.deepcopy(_MANIFEST), 0), store=store)

    assert set(store.new) == {"tool", "view", "page", "module", "shape"}
