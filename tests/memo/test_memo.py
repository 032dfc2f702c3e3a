"""The memo calls a function only for inputs that it does not know, and only with what it keyed."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from toolfold.memo.memo import Kind, Memo, digest_of
from toolfold.memo.store import FileStore, Store


class Doubled(NamedTuple):
    value: int
    of: str


DOUBLED = Kind("doubled", Doubled)


class Doubler:
    """Counts what it was called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, str]] = []

    def double(self, number: int, unit: str) -> Doubled:
        self.calls.append((number, unit))
        return Doubled(2 * number, unit)


def store_at(folder: Path, fingerprint: str = "one") -> FileStore:
    return FileStore(folder / "test.memo", fingerprint)


def test_a_function_is_called_once_for_equal_inputs(tmp_path: Path) -> None:
    doubler = Doubler()
    for numbers in ({"a": 1, "b": 2}, {"b": 2, "c": 3}, {"c": 3, "b": 2}):
        store = store_at(tmp_path)
        results = Memo(store).each(DOUBLED, numbers, doubler.double, "m")
        store.save()

        assert results == {name: Doubled(2 * number, "m") for name, number in numbers.items()}
        assert list(results) == list(numbers)
    assert doubler.calls == [(1, "m"), (2, "m"), (3, "m")]


def test_what_inputs_share_is_part_of_the_key(tmp_path: Path) -> None:
    store, doubler = store_at(tmp_path), Doubler()
    memo = Memo(store)

    memo.each(DOUBLED, {"a": 1}, doubler.double, "m")

    assert memo.each(DOUBLED, {"a": 1}, doubler.double, "km") == {"a": Doubled(2, "km")}


def test_only_results_that_the_last_run_used_are_kept(tmp_path: Path) -> None:
    doubler = Doubler()
    for numbers in ({"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 2}):
        store = store_at(tmp_path)
        Memo(store).each(DOUBLED, numbers, doubler.double, "m")
        store.save()

    assert doubler.calls == [(1, "m"), (2, "m"), (2, "m")]


def test_another_fingerprint_knows_nothing(tmp_path: Path) -> None:
    doubler = Doubler()
    for fingerprint in ("one", "two"):
        store = store_at(tmp_path, fingerprint)
        Memo(store).each(DOUBLED, {"a": 1}, doubler.double, "m")
        store.save()

    assert len(doubler.calls) == 2


def test_a_forgetful_store_lets_every_function_be_called(tmp_path: Path) -> None:
    doubler, memo = Doubler(), Memo(Store())

    for _ in range(2):
        memo.each(DOUBLED, {"a": 1}, doubler.double, "m")

    assert len(doubler.calls) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_batch_gets_what_is_missing_at_once(tmp_path: Path) -> None:
    batches: list[list[int]] = []

    def double_all(numbers: Sequence[int], unit: str) -> Iterable[Doubled]:
        batches.append(list(numbers))
        return [Doubled(2 * number, unit) for number in numbers]

    memo = Memo(store_at(tmp_path))
    memo.batch(DOUBLED, {"a": 1, "b": 2}, double_all, "m")

    results = memo.batch(DOUBLED, {"c": 3, "b": 2, "d": 4}, double_all, "m")

    assert batches == [[1, 2], [3, 4]]
    assert list(results) == ["c", "b", "d"]


def test_a_stored_text_that_is_no_such_result_is_made_again(tmp_path: Path) -> None:
    store, doubler = store_at(tmp_path), Doubler()
    key = f"doubled:{digest_of([digest_of('m'), 1])}"
    store.put(key, '["no number"]')
    store.save()

    results = Memo(store_at(tmp_path)).each(DOUBLED, {"a": 1}, doubler.double, "m")

    assert results == {"a": Doubled(2, "m")}


def test_a_digest_knows_dataclasses_models_and_order() -> None:
    from toolfold.manifest.schema import Icon

    plain = Icon.model_validate({"src": "https://x.example/i.png"})
    with_default = Icon.model_validate({"src": "https://x.example/i.png", "sizes": []})

    assert digest_of(plain) != digest_of(with_default)
    assert digest_of({"a": 1, "b": 2}) != digest_of({"b": 2, "a": 1})
    with pytest.raises(TypeError):
        digest_of(object())
