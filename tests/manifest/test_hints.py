"""What the author is told to write instead of a number with a unit."""

import pytest
from toolfold.manifest.hints import way_out
from toolfold.manifest.tree import ManifestPath

_TIMEOUT: ManifestPath = ("tools", "find", "timeout")
_BUDGET: ManifestPath = ("tools", "find", "budget")
_CONCURRENCY: ManifestPath = ("tools", "find", "concurrency")
_MEGABYTES: ManifestPath = ("execution", "cache", "megabytes")


@pytest.mark.parametrize(
    ("path", "wanted", "value", "hint"),
    [
        (_TIMEOUT, "a number", "90", "write `timeout: 90`"),
        (_TIMEOUT, "a number", "1.5 s", "write `timeout: 1.5`"),
        (_TIMEOUT, "a number", "2m", "write `timeout: 120`"),
        (_TIMEOUT, "a number", "3h", "write `timeout: 10800`"),
        (_TIMEOUT, "a number", "500ms", "write `timeout: 0.5`"),
        (("tools", "find", "cache"), "a mapping", "2 min", "write `cache: {ttl: 120}`"),
        (_BUDGET, "a whole number", "350", "write `budget: 350`"),
        (_BUDGET, "a whole number", "1.5k", "write `budget: 1500`"),
        (_CONCURRENCY, "a whole number", "4", "write `concurrency: 4`"),
        (_MEGABYTES, "a number", "64m", "write `megabytes: 64`"),
        (_MEGABYTES, "a number", "1 GB", "write `megabytes: 1000`"),
    ],
)
def test_a_number_with_a_unit_of_its_key_is_converted(
    path: ManifestPath, wanted: str, value: str, hint: str
) -> None:
    assert way_out(path, wanted, value) == hint


@pytest.mark.parametrize(
    ("path", "wanted", "value"),
    [
        (_TIMEOUT, "a number", "2k"),
        (_BUDGET, "a whole number", "2m"),
        (_BUDGET, "a whole number", "1.5"),
        (_CONCURRENCY, "a whole number", "3h"),
        (_MEGABYTES, "a number", "500ms"),
    ],
)
def test_a_unit_that_its_key_cannot_have_is_not_converted(
    path: ManifestPath, wanted: str, value: str
) -> None:
    assert not way_out(path, wanted, value).startswith("write `")
