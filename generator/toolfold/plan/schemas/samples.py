"""A short number or text that a schema accepts, where one is easily made."""

import math
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.validation import FORMAT_SAMPLES, ValidationError, validator_for

from toolfold.plan.schemas.pattern_samples import text_matching

_MAX_LENGTH: Final = 1_000
_SAMPLES: Final = {
    **FORMAT_SAMPLES,
    "url": FORMAT_SAMPLES["uri"],
    "uri-reference": "/path",
    "iri": FORMAT_SAMPLES["uri"],
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "regex": "^a",
    "byte": "AAAA",
    "binary": "AAAA",
}


def sample_number(schema: Json, kind: str) -> int | float:
    """A number near 1 within the bounds of a schema; `kind` is integer or number."""
    step = schema.get("multipleOf", 1 if kind == "integer" else None)
    value: int | float = step or 1
    high = _bound(schema, "maximum", "exclusiveMaximum", -value)
    low = _bound(schema, "minimum", "exclusiveMinimum", value)
    value = value if high is None else min(value, high)
    value = value if low is None else max(value, low)
    if step:
        value = math.ceil(value / step) * step
    return int(value) if float(value).is_integer() else value


def sample_text(schema: Json, name: str) -> str:
    """The name in angle brackets, or a text that fits the format, the pattern or the length."""
    if schema.get("format") in _SAMPLES:
        return _SAMPLES[schema["format"]]
    if schema.get("contentEncoding") == "base64":
        return "AAAA"
    least, most = int(schema.get("minLength", 0)), int(schema.get("maxLength", _MAX_LENGTH))
    sample = f"<{name or 'text'}>"
    sample = sample if len(sample) <= most else (name or "text")[:most]
    sample = (
        sample if len(sample) >= least else sample + "." * min(least - len(sample), _MAX_LENGTH)
    )
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return sample
    options = (sample, name, text_matching(pattern, least))
    return next((option for option in options if option and _matches(pattern, option)), sample)


def _bound(schema: Json, inclusive: str, exclusive: str, step: float) -> float | None:
    """The first number within a bound; older dialects have `exclusive` as a flag beside it."""
    limit: float | None = schema.get(inclusive)
    beyond = schema.get(exclusive)
    if beyond is True and limit is not None:
        return limit + step
    return limit if beyond is None or isinstance(beyond, bool) else beyond + step


def _matches(pattern: str, text: str) -> bool:
    try:
        return validator_for({"pattern": pattern}).is_valid(text)
    except ValidationError:
        return False
