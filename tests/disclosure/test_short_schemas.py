"""Schemas that do not fit an answer: what a shortened view keeps, and that it says so."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.short_view import ShortSource, short_view
from toolfold.plan.schemas.smallest import example_arguments

from tests.disclosure.catalogs import SHELF, Baked, changed, tokens

LIMIT = 400
SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": "integer", "minimum": 3, "description": "A number. Of things."},
            {"type": "string", "enum": ["a", "b"]},
            {"type": "boolean", "default": True},
            {"type": "string", "description": "Long words. " * 200},
            {"type": "string", "description": "🜚龘" * 300},
        ]
    ),
    lambda inner: (
        st.builds(lambda items: {"type": "array", "items": items, "minItems": 1}, inner)
        | st.builds(
            lambda properties: {
                "type": "object",
                "properties": properties,
                "required": sorted(properties)[:2],
            },
            st.dictionaries(st.text(min_size=1, max_size=30), inner, max_size=5),
        )
    ),
    max_leaves=12,
)


@st.composite
def parameters(draw: st.DrawFn) -> dict[str, Any]:
    """The input schema of a tool with few or many parameters."""
    properties = draw(st.dictionaries(st.text(min_size=1, max_size=30), SCHEMAS, max_size=30))
    required = (
        draw(st.lists(st.sampled_from(sorted(properties)), unique=True)) if properties else []
    )
    return {"type": "object", "properties": properties, "required": required}


@settings(max_examples=60)
@given(schema=parameters())
def test_a_short_view_keeps_its_tokens_and_its_call_is_valid(schema: dict[str, Any]) -> None:
    tool = Tool(summary="Do it", category="books", effect="read", input_schema=schema)
    example = example_arguments(schema, ())
    for form in ("json", "text"):
        source = ShortSource("do_it", tool, schema, example, form, "run_read", "tool_schema")
        text = short_view(source, LIMIT)

        assert tokens(text) <= LIMIT
        assert 'tool_schema("do_it", detail="full")' in text.replace('\\"', '"')
        if form == "json":
            view = json.loads(text)
            assert set(view["required"]) <= set(schema["required"])
            assert ("call" in view) != ("a valid call" in view["shortened"])
            if "call" in view:
                assert jsonschema_rs.is_valid(schema, view["call"])


def many(number: int, required: int, summary: str = "Do it") -> dict[str, Any]:
    words = "What this is for, in a good many words. "
    properties = {f"p{n}": {"type": "string", "description": words} for n in range(number)}
    schema = {"type": "object", "properties": properties, "required": list(properties)[:required]}
    return {"summary": summary, "category": "books", "effect": "read", "input_schema": schema}


@pytest.fixture(scope="module", params=["json", "text"])
def baked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Baked:
    tools = SHELF["tools"] | {f"big_{n}": many(60 + n, 2) for n in range(40)}
    tools |= {"huge": many(400, 2), "strict": many(400, 300)}
    manifest = changed(SHELF, format=request.param) | {"tools": tools}
    return Baked(tmp_path_factory.mktemp("short"), manifest)


def test_a_schema_that_fits_the_answer_is_shown_whole(baked: Baked) -> None:
    assert "p59" in baked.catalog.details("big_0")
    assert "shortened" not in baked.catalog.details("big_0")


def test_a_schema_that_is_too_large_is_shortened_and_still_yields_a_call(baked: Baked) -> None:
    text = baked.catalog.details("huge")

    assert tokens(text) <= LIMIT
    assert "<p0>" in text
    assert "left out" in text
    assert "p399" in baked.catalog.details("huge", "full")


def test_300_required_parameters_stay_within_the_budget_and_are_said_to_be_missing(
    baked: Baked,
) -> None:
    text = baked.catalog.details("strict")

    assert tokens(text) <= LIMIT
    assert "required parameters (p" in text


def test_the_largest_are_shortened_until_the_answer_fits(baked: Baked) -> None:
    lines = baked.catalog.details("find_book,big_0,huge,big_1").split("\n")

    assert tokens("\n".join(lines)) <= 4000
    assert "shortened to fit 4,000 tokens: " in lines[-1]
    assert "tool_schema(tool, detail=" in lines[-1]


def test_what_does_not_even_fit_shortened_is_counted(baked: Baked) -> None:
    asked = ",".join(f"big_{n}" for n in range(40))

    text = baked.catalog.details(asked)

    assert tokens(text) <= 4000
    assert "not shown: the last" in text.split("\n")[-1]
    assert "ask for fewer at a time" in text.split("\n")[-1]


def test_a_manifest_sets_the_budget_of_an_answer(tmp_path: Path) -> None:
    tools = SHELF["tools"] | {"huge": many(400, 2)}
    manifest = changed(SHELF, budgets={"details": 40_000}) | {"tools": tools}

    assert "p399" in Baked(tmp_path, manifest).catalog.details("huge")
