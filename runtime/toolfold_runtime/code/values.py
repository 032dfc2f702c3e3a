"""What leaves a sandbox, as JSON: nothing else may become an answer or an argument."""

import math
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final

from toolfold_runtime.jsontext import MOST_ANSWER_BYTES, excerpt

#: As much as an answer may have; what is referred to twice counts twice, as it does in JSON.
_MOST_VALUES: Final = 50_000
_MOST_LEVELS: Final = 100
_MOST_BITS: Final = 10_000  # Python writes no more than 4,300 digits
_LONGEST_STEP: Final = 40


class NoJsonError(Exception):
    """A value that JSON cannot say; the message says where it is and what to do instead."""


def json_value(value: object, name: str) -> Any:
    """The value as plain JSON, or a NoJsonError about `name`.

    Tuples and sets become lists, records and dates what JSON has for them, keys that are numbers text.
    """
    return _Conversion(name).of(value)


class _Conversion:
    def __init__(self, name: str) -> None:
        self._name = name
        #: Where we are, in keys and indices.
        self._path: list[object] = []
        self._values = 0
        self._size = 0

    def of(self, value: object) -> Any:
        self._count(value)
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int):
            if value.bit_length() > _MOST_BITS:
                raise self._problem("is a number of too many digits; write it as text")
            return int(value)
        if isinstance(value, float):
            return self._finite(value)
        if len(self._path) >= _MOST_LEVELS:
            raise NoJsonError(f"{self._name} has more than {_MOST_LEVELS} levels; flatten it")
        if isinstance(value, dict):
            return {self._key(key): self._below(key, item) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._below(at, item) for at, item in enumerate(value)]
        if isinstance(value, date | datetime | time):
            return value.isoformat()
        if isinstance(value, Decimal):
            return self._finite(float(value))
        if getattr(value, "is_dataclass", False) is True:
            return self._below("", getattr(value, "attributes", {}))
        text = f"is {_named(value)}, which is no JSON; make it a dict, a list or text"
        raise self._problem(text)

    def _below(self, step: object, value: object) -> Any:
        self._path.append(step)
        converted = self.of(value)
        self._path.pop()
        return converted

    def _key(self, key: object) -> str:
        self._count(key)
        if isinstance(key, str):
            return key
        if isinstance(key, bool):
            return "true" if key else "false"
        if isinstance(key, int | float):
            return str(key)
        if isinstance(key, date | datetime | time):
            return key.isoformat()
        fact = "null" if key is None else _named(key)
        raise self._problem(f"has a key that is {fact}; JSON's keys are text, so write str(key)")

    def _finite(self, number: float) -> float:
        if math.isfinite(number):
            return number
        raise self._problem(f"is {number}, which is no JSON; use None")

    def _count(self, value: object) -> None:
        self._values += 1
        self._size += len(value) if isinstance(value, str | bytes) else 2
        if self._values > _MOST_VALUES or self._size > MOST_ANSWER_BYTES:
            most = f"{_MOST_VALUES:,} values or {MOST_ANSWER_BYTES:,} bytes"
            raise NoJsonError(f"{self._name} has more than {most}; keep less of it")

    def _problem(self, text: str) -> NoJsonError:
        steps = (_shown(step) for step in self._path if step != "")
        return NoJsonError(f"{'.'.join([self._name, *steps])} {text}")


def _named(value: object) -> str:
    """What a value is, in the words of the program that made it."""
    name = getattr(value, "name", None)
    kind = type(value).__name__
    if kind == "MontyClassProxy":
        return f"an object of class {name}"
    return f"{name}" if kind.startswith("Monty") else f"of type {kind}"


def _shown(step: object) -> str:
    text = str(step)
    return text if len(text) < _LONGEST_STEP else excerpt(text[:_LONGEST_STEP])
