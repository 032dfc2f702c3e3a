"""Where references within a document lead; none is followed out of it."""

from collections import deque
from functools import cached_property
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from toolfold_runtime.contract.codec import Json

from toolfold.importing.openapi.warnings import Warnings

#: Steps from the root of the document to a value in it.
Steps = tuple[str, ...]

_LONGEST_CHAIN: Final = 50
_OUTSIDE: Final = "references that leave the document are not followed"
_BUNDLE: Final = "bundle its files into one document first, for example with `redocly bundle`"
_NOWHERE: Final = "references that lead nowhere"
_CIRCLE: Final = "references that lead to nothing but each other"


class Target(NamedTuple):
    """What a reference leads to: where that is, and the value."""

    steps: Steps
    value: Any


class References:
    """Resolves references by and by: only those that somebody follows are looked up, once each."""

    def __init__(self, root: Json, warnings: Warnings) -> None:
        self.root = root
        self._warnings = warnings
        self._targets: dict[str, Target | None] = {}

    def target(self, reference: object) -> Target | None:
        """Where a reference leads, other references on the way followed; None where it leads nowhere."""
        if not isinstance(reference, str):
            return None  # a property that is called so
        if reference not in self._targets:
            self._targets[reference] = self._followed(reference)
        return self._targets[reference]

    def resolved(self, value: Any) -> Json:
        """A parameter, body, answer or header with what it refers to; empty where it is no mapping."""
        if isinstance(value, dict) and isinstance(value.get("$ref"), str):
            target = self.target(value["$ref"])
            value = target.value if target else None
        return value if isinstance(value, dict) else {}

    def _followed(self, reference: str) -> Target | None:
        following, seen = reference, set[str]()
        while following not in seen and len(seen) < _LONGEST_CHAIN:
            seen.add(following)
            if not following.startswith("#"):
                self._warnings.add(_OUTSIDE, following, _BUNDLE)
                return None
            steps = self._steps(following)
            found = None if steps is None else self._value(steps)
            if found is None:
                self._warnings.add(_NOWHERE, following)
                return None
            if not isinstance(found.value, dict) or not isinstance(found.value.get("$ref"), str):
                return found
            following = found.value["$ref"]
        self._warnings.add(_CIRCLE, reference)
        return None

    def _steps(self, reference: str) -> Steps | None:
        if reference == "#":
            return ()
        if not reference.startswith("#/"):
            return self._anchors.get(unquote(reference[1:]))
        parts = reference[2:].split("/")
        return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)

    @cached_property
    def _anchors(self) -> dict[str, Steps]:
        """Where each `$anchor` stands, the first of a name."""
        found: dict[str, Steps] = {}
        waiting = deque[tuple[Steps, Any]]([((), self.root)])
        while waiting:
            steps, node = waiting.popleft()
            if isinstance(node, dict) and isinstance(node.get("$anchor"), str):
                found.setdefault(node["$anchor"], steps)
            inner = node.items() if isinstance(node, dict) else enumerate(node)
            waiting += [
                ((*steps, str(key)), value)
                for key, value in inner
                if isinstance(value, dict | list)
            ]
        return found

    def _value(self, steps: Steps) -> Target | None:
        node: Any = self.root
        path: list[str] = []
        for given in steps:
            step = given
            if isinstance(node, dict):
                # A key may hold what a URL would write in another way.
                step = given if given in node else unquote(given)
                if step not in node:
                    return None
                node = node[step]
            elif isinstance(node, list) and given.isdecimal() and int(given) < len(node):
                node = node[int(given)]
            else:
                return None
            path.append(step)
        return Target(tuple(path), node)
