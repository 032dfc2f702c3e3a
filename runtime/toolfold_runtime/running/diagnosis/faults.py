"""One thing that is wrong with a value."""

from typing import NamedTuple, TypeAlias

from toolfold_runtime.pointers import Step

#: The path of a value in the arguments or the result.
ValuePath: TypeAlias = tuple[Step, ...]


class Fault(NamedTuple):
    """A place and what the schema says there.

    `keyword` is the keyword that refuses, or one of ours: `unknown` for a property that is not
    allowed, `missing` for sets of properties of which one is needed, `choice` for a value that is
    of no allowed type, `false` and `schema` where nothing can be said but that it is refused.
    """

    path: ValuePath
    keyword: str
    given: object
    expected: object = None
    #: Whether `properties` declares what is at the path.
    is_declared: bool = False


class Choice(NamedTuple):
    """The types and values that alternatives allow."""

    types: tuple[str, ...]
    values: tuple[object, ...]
