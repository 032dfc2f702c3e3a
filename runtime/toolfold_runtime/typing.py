"""Types that generated signatures use."""

from collections.abc import Awaitable
from typing import TypeAlias, TypeVar

_T = TypeVar("_T")

#: A method may answer at once or be awaited.
MaybeAwaitable: TypeAlias = _T | Awaitable[_T]
