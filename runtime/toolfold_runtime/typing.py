"""Types that generated signatures use."""

from collections.abc import Awaitable
from typing import TypeAlias, TypeVar

_T = TypeVar("_T")

#: What a tool without `returns` may answer; named so that no tool called `object` hides it.
Anything: TypeAlias = object
#: A method may answer at once or be awaited.
MaybeAwaitable: TypeAlias = _T | Awaitable[_T]
