"""Where references within a schema lead, for validation, defaults and the plan alike."""

from typing import Final

import pytest
from toolfold_runtime.pointers import pointer, resolve, target_path
from toolfold_runtime.running.defaults import defaults_of

from tests.support.projects import Json

_DOCUMENT: Final[Json] = {
    "$defs": {
        "a b": {"title": "blank"},
        "a/b~c": {"title": "escaped"},
        "%41": {"title": "percent"},
        "Name": {"anyOf": [{"title": "first"}, True]},
        "": {"title": "empty"},
    },
    "required": ["x"],
}


@pytest.mark.parametrize(
    ("reference", "title"),
    [
        ("#/$defs/a%20b", "blank"),
        ("#/$defs/a b", "blank"),
        ("#/$defs/a~1b~0c", "escaped"),
        ("#/$defs/%2541", "percent"),
        ("#/$defs/Name/anyOf/0", "first"),
        ("#/$defs/", "empty"),
    ],
)
def test_a_reference_leads_to_the_schema_that_it_names(reference: str, title: str) -> None:
    path = target_path(_DOCUMENT, reference)

    assert resolve(_DOCUMENT, reference) == {"title": title}
    assert path is not None
    assert resolve(_DOCUMENT, f"#{pointer(path)}".replace("%", "%25")) == {"title": title}


@pytest.mark.parametrize(
    "reference",
    [
        *("", "Name", "#Name", "x.json#/$defs/Name", 7, None),
        *("#/$defs/Other", "#/$defs/Name/anyOf/2", "#/$defs/Name/anyOf/²", "#/$defs/Name/anyOf/-1"),
        *("#/required", "#/required/0"),
    ],
)
def test_what_is_no_schema_of_the_document_is_not_resolved(reference: object) -> None:
    assert resolve(_DOCUMENT, reference) is None


def test_the_document_itself_and_a_schema_that_accepts_all_are_resolved() -> None:
    assert resolve(_DOCUMENT, "#") is _DOCUMENT
    assert resolve(_DOCUMENT, "#/$defs/Name/anyOf/1") is True


@pytest.mark.parametrize("reference", ["#/anyOf/0", "#/$defs/a%20b"])
def test_defaults_are_filled_in_behind_every_reference_that_validators_follow(
    reference: str,
) -> None:
    part = {"properties": {"limit": {"default": 5}}}
    schema: Json = {"$ref": reference, "anyOf": [part], "$defs": {"a b": part}}

    defaults = defaults_of(schema)

    assert defaults is not None
    assert defaults.fill({}) == {"limit": 5}
