"""Repairing arguments that a schema refuses and whose meaning is certain.

`null` counts as not given where a property is declared, may be absent, and may not be null; text
counts as the value that it spells where the manifest allows that (`coerce`).
"""

from collections.abc import Collection
from typing import Any, Final, NamedTuple, TypeAlias

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.running.coerce import coerced
from toolfold_runtime.running.diagnosis.document import SchemaDocument
from toolfold_runtime.running.diagnosis.effort import Effort
from toolfold_runtime.running.diagnosis.faults import Fault, ValuePath
from toolfold_runtime.running.diagnosis.walk import faults_of

# What text spells may have nulls in it, and an alternative can be told once they are gone.
_MAX_ROUNDS: Final = 4
_Removals: TypeAlias = "dict[str | int, _Removals]"


class Repair(NamedTuple):
    """Arguments as they were meant, warnings about what was coerced, and the faults that remain."""

    arguments: Json
    warnings: list[str]
    faults: list[Fault]


def repaired(document: SchemaDocument, arguments: Json, *, coerce_strings: bool = False) -> Repair:
    """The arguments without nulls that mean "not given" and with strings coerced where allowed.

    The same object where nothing changed.
    """
    warnings: list[str] = []
    effort = Effort()
    faults = faults_of(document, arguments, effort)
    for _ in range(_MAX_ROUNDS):
        changed, remaining = without_nulls(document, arguments, faults, effort=effort)
        if remaining and coerce_strings:
            changed, more = coerced(changed, remaining)
            warnings += more
            remaining = _faults(document, changed, effort) if more else remaining
        if changed is arguments:
            break
        arguments, faults = changed, remaining
        if not faults or effort.is_spent:
            break
    return Repair(arguments, warnings, faults)


def without_nulls(
    document: SchemaDocument,
    value: Any,
    faults: list[Fault],
    *,
    only_declared: bool = True,
    effort: Effort | None = None,
) -> tuple[Any, list[Fault]]:
    """A copy without the nulls that count as not given, and the faults that it has left.

    With `only_declared`, nulls of properties that the schema does not declare stay. A required
    property keeps its null, so that its fault names what was given. The value itself is returned
    where no null is at fault.
    """
    required: set[ValuePath] = set()
    for _ in range(_MAX_ROUNDS):
        nulls = {
            fault.path
            for fault in faults
            if _is_null_for_absent(fault) and (fault.is_declared or not only_declared)
        } - required
        changed, remaining = value, faults
        while nulls:
            changed = _without(value, nulls)
            remaining = _faults(document, changed, effort)
            missing = {fault.path for fault in remaining if fault.keyword == "required"} & nulls
            if not missing:
                break
            required |= missing
            nulls -= missing
        if not nulls:
            break
        value, faults = changed, remaining
    return value, faults


def _is_null_for_absent(fault: Fault) -> bool:
    is_property = bool(fault.path) and isinstance(fault.path[-1], str)
    return fault.given is None and is_property and fault.keyword != "required"


def _faults(document: SchemaDocument, value: object, effort: Effort | None) -> list[Fault]:
    return [] if document.accepts((), value) else faults_of(document, value, effort)


def _without(value: Any, paths: Collection[ValuePath]) -> Any:
    """A copy without what is at the paths; what they do not lead through is shared."""
    removals: _Removals = {}
    for path in paths:
        here = removals
        for step in path:
            here = here.setdefault(step, {})
    return _pruned(value, removals)


def _pruned(value: Any, removals: _Removals) -> Any:
    if isinstance(value, list):
        return [
            _pruned(item, removals[index]) if index in removals else item
            for index, item in enumerate(value)
        ]
    return {
        key: _pruned(inner, removals[key]) if key in removals else inner
        for key, inner in value.items()
        if removals.get(key) != {}
    }
