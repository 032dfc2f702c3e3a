"""Formats through a call: of arguments and results, asserted where the schema is hand-written."""

import base64
import logging
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolfold_runtime import ToolError
from toolfold_runtime.validation import is_base64_text

from tests.running.material import Returns, Served, tool, value_of
from tests.support.projects import Json

BASE64: Final = {"type": "string", "contentEncoding": "base64"}
#: By format: values that are of it, and values that are not.
CASES: Final[dict[str, tuple[list[str], list[str]]]] = {
    "date": (["2024-02-29"], ["2023-02-29", "2025-1-31", "2025-01-31T00:00:00Z", "", "today"]),
    "date-time": (
        ["2025-01-31T09:30:00Z", "2025-01-31t09:30:00.123456+01:00"],
        ["2025-01-31T09:30:00", "2025-01-31 09:30", "2025-01-31", "1738315800"],
    ),
    "time": (["09:30:00Z", "23:59:59.5-08:00"], ["09:30:00", "9:30", "24:00:00Z"]),
    "uuid": (
        ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"],
        ["f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}", "x"],
    ),
    "duration": (["P1Y2M3DT4H5M6S", "PT0S", "P2W"], ["1 day", "P", "PT", "P1Y2W"]),
    "uri": (["https://example.com/?q=a", "urn:isbn:1"], ["/a", "a b", "::"]),
    "email": (["ada@example.com"], ["ada", "@example.com", "a b@example.com"]),
    "hostname": (["example.com", "a-1"], ["-a.com", "a_b.com", ""]),
    "ipv4": (["127.0.0.1"], ["256.0.0.1", "127.1", "::1", "01.2.3.4"]),
    "ipv6": (["::1", "fe80::"], ["127.0.0.1", ":::", "12345::"]),
    "json-pointer": (["", "/a~1b/0"], ["a", "/a~2"]),
    "regex": (["^[a-z]+$"], ["(", "[a"]),
    "binary": (["", "YWJj", "YQ=="], ["YQ", "YR==", "Y Q==", "-_8=", "YWJj="]),
}


def property_of(name: str) -> Json:
    return BASE64 if name == "base64" else {"type": "string", "format": name}


def tool_name(name: str) -> str:
    return f"take_{name.replace('-', '_')}"


FOREIGN: Final = {"type": "object", "properties": {"value": {"type": "string", "format": "date"}}}
TOOLS: Final = {
    **{
        tool_name(name): tool(parameters={"value": property_of(name)})
        for name in (*CASES, "base64")
    },
    "give": tool(returns={"type": "object", "properties": {"day": property_of("date")}}),
    "give_bytes": tool(returns={"type": "object", "properties": {"raw": BASE64}}),
    "give_any_bytes": tool(),
    "take_noted": tool(input_schema=FOREIGN),
    "take_asserted": tool(input_schema=FOREIGN, formats="assert"),
    "give_noted": tool(output_schema=FOREIGN),
    "give_asserted": tool(output_schema=FOREIGN, formats="assert"),
    "unusable": tool(output_schema={"type": "object", "properties": {"a": {"pattern": "("}}}),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("formats"), TOOLS)


def refusals(served: Served, name: str, values: list[str]) -> dict[str, str]:
    """By value: the text of the error, where there was one."""
    errors = {}
    for value in values:
        try:
            served.call(Returns(None), name, {"value": value})
        except ToolError as error:
            errors[value] = str(error)
    return errors


@pytest.mark.parametrize("name", [*CASES, "base64"])
def test_arguments_are_held_to_their_format(served: Served, name: str) -> None:
    right, wrong = CASES["binary" if name == "base64" else name]

    assert refusals(served, tool_name(name), right) == {}
    errors = refusals(served, tool_name(name), wrong)
    assert list(errors) == wrong
    assert all(text.startswith("invalid_arguments: ") for text in errors.values())


def test_an_agent_sees_a_value_of_the_format(served: Served) -> None:
    (text,) = refusals(served, "take_date_time", ["tomorrow"]).values()

    assert '- value: "tomorrow" is not a date-time (like 2025-01-31T09:30:00Z)\n' in text


def test_an_agent_does_not_get_its_own_long_text_back(served: Served) -> None:
    for name in ("take_date", "take_base64"):
        (text,) = refusals(served, name, ["-" * 100_000]).values()

        assert len(text) < 500


def test_foreign_schemas_are_held_to_formats_where_the_tool_says_so(served: Served) -> None:
    wrong = {"value": "today"}

    assert refusals(served, "take_noted", ["today"]) == {}
    assert list(refusals(served, "take_asserted", ["today"])) == ["today"]
    assert value_of(served.call(Returns(wrong), "give_noted")) == wrong
    with pytest.raises(ToolError, match="breaks its own schema"):
        served.call(Returns(wrong), "give_asserted")


def test_results_are_held_to_their_format(served: Served) -> None:
    assert value_of(served.call(Returns({"day": "2025-01-31"}), "give")) == {"day": "2025-01-31"}
    with pytest.raises(ToolError, match="breaks its own schema"):
        served.call(Returns({"day": "31.1.2025"}), "give")


def test_bytes_in_a_result_are_standard_base64_where_the_schema_has_base64(served: Served) -> None:
    raw = bytes(range(256))

    reply = served.call(Returns({"raw": raw}), "give_bytes")

    assert base64.b64decode(value_of(reply)["raw"], validate=True) == raw


def test_bytes_elsewhere_are_text_and_refused_where_they_are_not(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    assert value_of(served.call(Returns({"a": "ä".encode()}), "give_any_bytes")) == {"a": "ä"}
    with pytest.raises(ToolError, match="not JSON"):
        served.call(Returns({"a": b"\xff"}), "give_any_bytes")

    (record,) = caplog.records
    assert "contentEncoding: base64" in vars(record)["facts"]["error"]


def test_why_a_schema_cannot_be_used_is_for_its_author(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(ToolError) as caught:
        served.call(Returns({}), "unusable")

    assert caught.value.text == (
        "unusable cannot be used: its output schema is broken; its author must fix it."
    )
    assert vars(caplog.records[0])["facts"]["tool"] == "unusable"
    assert "regex" in vars(caplog.records[0])["facts"]["reason"]


def decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None


def spoilt(text: str) -> Iterator[str]:
    """The text with one thing wrong with it."""
    yield from (f"{text}=", f"{text}\n", f" {text}", f"{text}A", f"{text}-", f"{text}ä")


@given(st.binary())
def test_what_is_encoded_is_base64_and_nothing_else_is(raw: bytes) -> None:
    text = base64.b64encode(raw).decode()

    assert is_base64_text(text)
    assert not any(map(is_base64_text, spoilt(text)))


@given(st.text(alphabet="AQgw+/=-_ \nö\ud800", max_size=12) | st.text(max_size=8))
@example("YWJj=")
@example("AAAA====")
@example("YR==")
def test_base64_is_what_decodes_and_encodes_to_the_same_text(text: str) -> None:
    raw = decoded(text)

    assert is_base64_text(text) == (raw is not None and base64.b64encode(raw).decode() == text)
