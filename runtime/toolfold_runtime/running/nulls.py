"""Nulls that stand for "not there": properties that a schema lets be absent but not null.

All of it happens after a validation failed, so a null that the schema allows is never touched.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from toolfold_runtime.validation import ValidationError, Validator

_Path: TypeAlias = tuple[str | int, ...]
_Removals: TypeAlias = "dict[str | int, _Removals]"


def without_nulls(
    validator: Validator, value: Any, errors: Sequence[ValidationError]
) -> tuple[Any, Sequence[ValidationError]]:
    """A copy without the nulls that may as well be absent, and the errors that remain in it.

    `errors` are those of `value`; as many are looked at in the copy. Where no null is at fault
    both are returned as given. A required property keeps its null, which its error then names.
    """
    paths = _read(errors).nulls
    while paths:
        changed = _without(value, paths)
        if validator.is_valid(changed):
            return changed, []
        remaining = list(islice(validator.iter_errors(changed), len(errors)))
        required = paths & _read(remaining).missing
        if not required:
            return changed, remaining
        paths -= required
    return value, errors


class _Faults(NamedTuple):
    """What is wrong with a value: properties that are null, that are missing, and the rest."""

    nulls: set[_Path]
    missing: set[_Path]
    others: int

    @property
    def distance(self) -> tuple[int, int]:
        """Orders branches: the one that leaving nulls out brings nearest to valid comes first."""
        return len(self.missing) + self.others, -len(self.nulls)


def _read(errors: Iterable[ValidationError]) -> _Faults:
    nulls: set[_Path] = set()
    missing: set[_Path] = set()
    others = 0
    for error in errors:
        path, kind = tuple(error.instance_path), error.kind.as_dict()
        branches = [_read(branch) for branch in kind.get("context") or () if branch]
        # An item of a list cannot be left out: those behind it would move.
        if error.instance is None and path and isinstance(path[-1], str):
            nulls.add(path)
        elif error.kind.name == "required":
            missing.add((*path, kind["property"]))
        elif branches:
            meant = min(branches, key=lambda branch: branch.distance)
            nulls |= meant.nulls
            missing |= meant.missing
            others += meant.others
        else:
            others += 1
    return _Faults(nulls, missing, others)


def _without(value: Any, paths: Iterable[_Path]) -> Any:
    """A copy without what is at the paths; what they do not lead through is shared."""
    removals: _Removals = {}
    for path in paths:
        here = removals
        for step in path:
            here = here.setdefault(step, {})
    return _pruned(value, removals)


def _pruned(value: Any, removals: _Removals) -> Any:
    if not removals:
        return value
    if isinstance(value, list):
        return [_pruned(own, removals.get(index, {})) for index, own in enumerate(value)]
    return {
        key: _pruned(own, removals.get(key, {}))
        for key, own in value.items()
        # The path of an error about an undeclared property is that of the object around it.
        if own is not None or key not in removals
    }
