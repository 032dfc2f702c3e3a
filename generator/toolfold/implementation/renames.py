"""Methods whose tools were renamed."""

import difflib
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from toolfold.plan.model import MethodPlan

_ALIKE: Final = 0.6
_MOST: Final = 50  # more tools without a method were not renamed


def renamed_methods(
    missing: Sequence[MethodPlan], left_over: Collection[str], orphaned: Collection[str]
) -> Mapping[str, MethodPlan]:
    """The tools' methods that seem to have been renamed, by their old names.

    `left_over` are methods that no tool has; `orphaned` those of them whose annotations name
    models that are not generated any more, which is what a rename leaves.
    """
    waiting = {method.name: method for method in missing}
    if not 0 < len(waiting) <= _MOST:
        return {}
    renamed: dict[str, MethodPlan] = {}
    for old in sorted(left_over, key=lambda name: (name not in orphaned, name)):
        nearest = difflib.get_close_matches(old, list(waiting), 1, _ALIKE)
        if nearest:
            renamed[old] = waiting.pop(nearest[0])
    rest = [old for old in orphaned if old not in renamed]
    if len(rest) == len(waiting) == 1:  # whatever it is called now
        renamed[rest[0]] = waiting.popitem()[1]
    return renamed
