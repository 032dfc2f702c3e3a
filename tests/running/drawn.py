"""Schemas and values that Hypothesis draws, few enough in kind to meet each other."""

from typing import Any, Final

from hypothesis import strategies as st

from tests.support.projects import Json

VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "5", 1.0, 0.5]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=5,
)


def _drawn() -> st.SearchStrategy[Any]:
    plain = st.sampled_from(
        [{}, True, False, {"not": {"type": "string"}}, {"minLength": 2}, {"minItems": 2}]
        + [{"type": kind} for kind in ("string", "integer", "number", "boolean", "null")]
        + [{"type": "integer", "minimum": 0}, {"enum": ["a", 1, None]}, {"const": "a"}]
        + [{"type": ["string", "null"]}, {"minProperties": 2}, {"uniqueItems": True}]
    )
    return st.recursive(
        plain,
        lambda inner: st.one_of(
            st.builds(lambda items: {"type": "array", "items": items}, inner),
            st.builds(lambda item: {"contains": item}, inner),
            st.builds(lambda a, b: {"prefixItems": [a], "items": b}, inner, inner),
            st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
            st.builds(lambda a, b, c: {"oneOf": [a, b, c]}, inner, inner, inner),
            st.builds(lambda a, b: {"allOf": [a, b]}, inner, inner),
            st.builds(lambda a, b, c: {"if": a, "then": b, "else": c}, inner, inner, inner),
            st.builds(lambda a: {"type": "object", "additionalProperties": a}, inner),
            st.builds(object_of, inner, inner, st.booleans(), st.booleans()),
        ),
        max_leaves=8,
    )


def object_of(a: Any, b: Any, is_closed: bool, is_required: bool) -> Json:
    """The schema of an object with two properties."""
    made: Json = {"type": "object", "properties": {"a": a, "b": b}}
    made |= {"additionalProperties": False} if is_closed else {}
    return made | ({"required": ["a"]} if is_required else {})


SCHEMAS: Final = _drawn()
