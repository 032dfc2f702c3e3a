"""Formats in schemas: known ones hold, others are refused where the schema is hand-written."""

from pathlib import Path
from typing import Final

import pytest
from toolfold.errors import ManifestError, Problem
from toolfold.manifest.json_schema import STRING_FORMATS
from toolfold.plan.schemas.formats import has_base64
from toolfold_runtime.validation import validator_for

from tests.plan.test_schemas import plan_of

#: No format has room for it.
NOTHING: Final = "{\\ [ \x00 *"


def problems(tmp_path: Path, body: str) -> list[Problem]:
    """The errors of a manifest, or else its warnings."""
    try:
        return list(plan_of(tmp_path, body).warnings)
    except ManifestError as error:
        return list(error.problems)


@pytest.mark.parametrize("dialect", ["", "draft-04", "draft-06", "draft-07", "draft/2019-09"])
def test_every_known_format_is_asserted_in_every_dialect(dialect: str) -> None:
    named = {"$schema": f"http://json-schema.org/{dialect}/schema"} if dialect else {}
    schemas = {name: {**named, "type": "string", "format": name} for name in STRING_FORMATS}

    noted = {n for n, schema in schemas.items() if validator_for(schema).is_valid(NOTHING)}
    asserted = {
        name
        for name, schema in schemas.items()
        if not validator_for(schema, asserts_formats=True).is_valid(NOTHING)
    }

    assert noted == asserted == set(STRING_FORMATS)


@pytest.mark.parametrize(
    ("schema", "fact", "hint"),
    [
        ("{type: string, format: uuuid}", 'unknown format "uuuid"', 'did you mean "uuid"? known'),
        ("{type: string, format: datetime}", 'unknown format "datetime"', '"date-time"?'),
        ("{format: Date_Time}", 'unknown format "Date_Time"', '"date-time"?'),
        ("{type: string, format: url}", 'unknown format "url"', '"uri"?'),
        ("{type: string, format: bytes}", 'unknown format "bytes"', '"binary"?'),
        ("{type: string, format: ip}", 'unknown format "ip"', '"ipv4" or "ipv6"?'),
        ("{type: string, format: shoe-size}", 'unknown format "shoe-size"', "known formats: bin"),
        ("{type: string, format: byte}", 'unknown format "byte"', "`contentEncoding: base64`"),
        ("{type: string, format: password}", 'unknown format "password"', "leave it out"),
        ("{type: integer, format: int64}", 'unknown format "int64"', "`minimum`"),
        ("{type: integer, format: date}", "`format: date` on type integer", "`type: string`"),
        ("{type: [integer, 'null'], format: uri}", "on type integer or null", "`type: string`"),
        ("{type: string, contentEncoding: base32}", 'unknown encoding "base32"', '"base64"'),
        ("{type: object, contentEncoding: base64}", "on type object", "`type: string`"),
        ("{type: string, format: date, default: soon}", "invalid default: ", "change the value"),
        ("{type: string, format: ipv4, examples: [x]}", "invalid example: ", "change the value"),
        ("{contentEncoding: base64, default: YQ}", '"YQ" is not base64 with', "change the value"),
    ],
)
@pytest.mark.parametrize("place", ["parameters: {a: %s}", "returns: {properties: {a: %s}}"])
def test_a_format_that_cannot_hold_is_refused_once(
    place: str, schema: str, fact: str, hint: str, tmp_path: Path
) -> None:
    (problem,) = problems(tmp_path, place % schema)

    assert problem.severity == "error"
    assert fact in problem.fact
    assert hint in problem.hint


@pytest.mark.parametrize(
    "schema",
    [
        "{type: [string, 'null'], format: date, default: null}",
        "{format: date-time, default: '2025-01-31T09:30:00+01:00'}",
        "{type: string, contentEncoding: base64, default: YQ==}",
        "{type: string, format: binary, examples: ['']}",
    ],
)
def test_values_of_their_format_are_accepted(schema: str, tmp_path: Path) -> None:
    assert problems(tmp_path, f"parameters: {{a: {schema}}}") == []


def test_the_examples_of_a_tool_are_held_to_formats(tmp_path: Path) -> None:
    body = "parameters: {a: {type: string, format: date}}\nexamples: [{arguments: {a: monday}}]"
    (problem,) = problems(tmp_path, body)

    assert problem.fact == 'invalid example: "monday" is not a date (like 2025-01-31)'


FOREIGN: Final = """\
input_schema:
  type: object
  properties:
    day: {type: string, format: date, default: soon}
    raw: {type: string, format: byte}
    count: {type: integer, format: int64}
"""


def test_formats_in_foreign_schemas_are_notes(tmp_path: Path) -> None:
    assert problems(tmp_path, FOREIGN) == []


def test_formats_in_foreign_schemas_can_be_asserted(tmp_path: Path) -> None:
    refused, unknown = problems(tmp_path, f"{FOREIGN}formats: assert")

    assert (refused.severity, unknown.severity) == ("warning", "warning")
    assert refused.fact == 'invalid default: "soon" is not a date (like 2025-01-31)'
    assert unknown.fact == 'unknown format "byte" is not asserted'


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"items": {"contentEncoding": "base64"}}, True),
        ({"properties": {"a": {"type": ["string", "null"], "format": "binary"}}}, True),
        ({"type": "integer", "format": "binary"}, False),
        ({"const": {"format": "binary"}}, False),
        (None, False),
    ],
)
def test_a_schema_has_base64_where_text_may_be_bytes(schema: object, expected: bool) -> None:
    assert has_base64(schema) is expected


CLOSED: Final = "properties: {greeting: {}}, additionalProperties: false"
BASE: Final = "{properties: {base: {}}}"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (f"{CLOSED}, required: [greating]", "error"),
        (f"{CLOSED}, required: [greeting]", None),
        (f"{CLOSED}, allOf: [{BASE}], required: [base]", "error"),
        ("properties: {}, additionalProperties: false, required: [a]", "error"),
        ("properties: {greeting: {}}, required: [greating]", "warning"),
        (f"allOf: [{BASE}], properties: {{a: {{}}}}, required: [base]", None),
        (f"allOf: [{BASE}, {{properties: {{a: {{}}}}, required: [base]}}]", None),
        (f"allOf: [{BASE}, {{properties: {{a: {{}}}}, required: [bass]}}]", "warning"),
        ("properties: {a: {}}, anyOf: [{required: [a]}, {required: [b]}]", None),
        ("properties: {a: {}}, additionalProperties: {type: string}, required: [b]", None),
        ("properties: {a: {}}, patternProperties: {'^x': {}}, required: [xy]", None),
        ("properties: {not: {properties: {a: {}}, required: [b]}}", "warning"),
    ],
)
def test_a_required_property_must_be_declared(
    schema: str, expected: str | None, tmp_path: Path
) -> None:
    reported = problems(tmp_path, f"returns: {{type: object, {schema}}}")

    assert [problem.severity for problem in reported] == ([expected] if expected else [])


def test_the_nearest_property_is_suggested_for_a_required_one(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, f"returns: {{type: object, {CLOSED}, required: [greating]}}")

    assert problem.fact == 'required property "greating" is not declared'
    assert problem.hint == 'did you mean "greeting"?'
    assert problem.path == "tools.one.returns.required[0]"
