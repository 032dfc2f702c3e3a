"""What is wrong with a result, in words for the author of the tool."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from typing import Final, TypeVar

from toolfold_runtime.running.diagnosis.faults import Fault
from toolfold_runtime.running.explain import dotted, explanations
from toolfold_runtime.validation import is_base64_text

_Parsed = TypeVar("_Parsed")
_MAX_SHOWN: Final = 5
NAIVE_DATETIME_HINT: Final = (
    "a naive datetime: use datetime.now(UTC), or make it aware with .replace(tzinfo=UTC)"
)


def log_fields(faults: Sequence[Fault], *, is_wrapped: bool) -> dict[str, str]:
    """The first fault for the log: its place, what is wrong there, a way out of a usual mistake.

    The others follow in short. `is_wrapped` where the schema has the result under `result`.
    """
    if not faults:
        return {"at": "the whole result", "problem": "the schema is too large to say what is wrong"}
    unwrapped = [fault._replace(path=fault.path[1:]) if is_wrapped else fault for fault in faults]
    fields = {"at": dotted(unwrapped[0].path) or "the whole result"}
    fields["problem"] = explanations(unwrapped[:1])[0].text
    if hint := _hint(unwrapped[0]):
        fields["hint"] = hint
    more = [explanation.line for explanation in explanations(unwrapped[1:_MAX_SHOWN])]
    if more:
        left_out = len(unwrapped) - _MAX_SHOWN
        fields["more"] = "; ".join([*more, *([f"{left_out} others"] if left_out > 0 else [])])
    return fields


def _hint(fault: Fault) -> str:
    text = fault.given
    if not isinstance(text, str):
        return ""
    if fault.keyword == "format":
        return _hint_of_format(str(fault.expected), text)
    if fault.keyword == "contentEncoding":
        return _hint_of_format("binary", text)
    types = fault.expected if isinstance(fault.expected, list) else [fault.expected]
    is_number = fault.keyword == "type" and {"number", "integer"} & set(map(str, types))
    if is_number and _parsed(float, text) is not None:
        return "a Decimal is sent as text: convert it with float() or int()"
    return ""


def _hint_of_format(name: str, text: str) -> str:
    moment, clock = _parsed(datetime.fromisoformat, text), _parsed(time.fromisoformat, text)
    if name == "binary":
        is_url = is_base64_text(text.replace("-", "+").replace("_", "/"))
        return "use base64.b64encode, not urlsafe_b64encode" if is_url else "return bytes"
    if name == "date-time" and _parsed(date.fromisoformat, text) is not None:
        return "a date has no time: use datetime.combine(day, time(), UTC)"
    if name == "date-time" and moment is not None and moment.tzinfo is None:
        return NAIVE_DATETIME_HINT
    if name == "date" and moment is not None:
        return "a datetime is not a date: use its .date()"
    if name == "time" and clock is not None and clock.tzinfo is None:
        return "a naive time: make it aware with .replace(tzinfo=UTC)"
    if name == "time" and moment is not None:
        return "a datetime is not a time: use its .timetz()"
    return ""


def _parsed(read: Callable[[str], _Parsed], text: str) -> _Parsed | None:
    try:
        return read(text)
    except ValueError:
        return None
