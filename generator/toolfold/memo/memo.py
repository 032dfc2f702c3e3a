"""Results by input: a function is not called again with an input of an earlier run.

`each` hands a function nothing but the input that its result is stored under, so a result cannot
depend on anything that is not part of the key.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from toolfold.memo.store import Store

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Input = TypeVar("Input")
Shared = TypeVar("Shared")
Result = TypeVar("Result")
Name = TypeVar("Name", bound=str)


@dataclass(frozen=True)
class Kind(Generic[Result]):
    """A kind of results: what it is called, and the type of its results, which are plain data."""

    name: str
    type: type[Result]

    def dump(self, result: Result) -> str:
        """A result as one line of JSON."""
        return self._adapter.dump_json(result).decode()

    def load(self, text: str) -> Result:
        """The result that was dumped; ValueError where the text is no such result."""
        return self._adapter.validate_json(text)

    @cached_property
    def _adapter(self) -> "TypeAdapter[Result]":
        from pydantic import TypeAdapter  # whoever only looks for the last run need not wait for it

        return TypeAdapter(self.type)


class Memo:
    """Results by kind and input, in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def is_empty(self) -> bool:
        """Whether every result has to be made."""
        return self._store.is_empty

    def each(
        self,
        kind: Kind[Result],
        inputs: Mapping[Name, Input],
        make: Callable[[Input, Shared], Result],
        shared: Shared,
    ) -> dict[Name, Result]:
        """The result for each input, by the same names; `shared` is an input of all of them."""

        def make_all(missing: Sequence[Input], common: Shared) -> Iterable[Result]:
            return (make(one, common) for one in missing)

        return self.batch(kind, inputs, make_all, shared)

    def batch(
        self,
        kind: Kind[Result],
        inputs: Mapping[Name, Input],
        make_all: Callable[[Sequence[Input], Shared], Iterable[Result]],
        shared: Shared,
    ) -> dict[Name, Result]:
        """The result for each input, from a function that takes all missing inputs at once."""
        common = digest_of(shared)
        keys = {name: f"{kind.name}:{digest_of([common, one])}" for name, one in inputs.items()}
        results = {name: self._stored(kind, key) for name, key in keys.items()}
        missing = [name for name, result in results.items() if result is None]
        made = make_all([inputs[name] for name in missing], shared) if missing else ()
        for name, result in zip(missing, made, strict=True):
            results[name] = result
            self._store.put(keys[name], kind.dump(result))
        return {name: result for name, result in results.items() if result is not None}

    def _stored(self, kind: Kind[Result], key: str) -> Result | None:
        text = self._store.get(key)
        if text is None:
            return None
        try:
            return kind.load(text) or None  # no result is empty
        except ValueError:
            return None


def digest_of(value: object) -> str:
    """A digest that changes whenever any part of a value does: plain data, dataclasses, models."""
    text = json.dumps(value, default=_plain, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    if hasattr(value, "model_dump_json"):  # a Pydantic model, by what was given to it
        return value.model_dump_json(by_alias=True, exclude_unset=True)
    raise TypeError(f"{type(value).__name__} is no plain data")
