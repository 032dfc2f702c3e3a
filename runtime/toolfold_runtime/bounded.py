"""A cache in memory within bounds of number, size and age."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass
class LookupCounts:
    """The numbers of look-ups that found a value, and of those that did not."""

    hits: int = 0
    misses: int = 0


@dataclass(frozen=True)
class _Item(Generic[Value]):
    value: Value
    size: int
    expires: float


class BoundedCache(Generic[Value]):
    """Values by key; the least recently used one makes room for a new one."""

    def __init__(
        self, entries: int, size: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.size = 0
        self._most_entries = entries
        self._most_size = size
        self._clock = clock
        self._lock = threading.Lock()  # methods of tools may clear a cache from their threads
        self._items: OrderedDict[Hashable, _Item[Value]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: Hashable) -> Value | None:
        """The value; None where it was never stored, was dropped, or has expired."""
        with self._lock:
            item = self._items.get(key)
            if item is None:
                return None
            if item.expires <= self._clock():
                self._drop(key)
                return None
            self._items.move_to_end(key)
            return item.value

    def put(self, key: Hashable, value: Value, size: int, seconds: float) -> bool:
        """Store a value for some seconds; False where it alone exceeds the size of the cache."""
        with self._lock:
            self._drop(key)
            if size > self._most_size:
                return False
            self._items[key] = _Item(value, size, self._clock() + seconds)
            self.size += size
            while len(self._items) > self._most_entries or self.size > self._most_size:
                self._drop(next(iter(self._items)))
            return True

    def clear(self) -> int:
        """Drop everything; returns how many values were dropped."""
        with self._lock:
            dropped = len(self._items)
            self._items.clear()
            self.size = 0
            return dropped

    def _drop(self, key: Hashable) -> None:
        item = self._items.pop(key, None)
        if item is not None:
            self.size -= item.size
