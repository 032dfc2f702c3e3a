"""Definitions that the operations of a document share: their names, and which differ by direction."""

import hashlib
import re
from collections.abc import Iterator
from typing import Any, Final, Literal

from toolfold.importing.openapi.references import References, Steps

#: Whether a schema is of what is sent, or of what comes back.
Direction = Literal["request", "answer"]

_LONGEST: Final = 64
_DIGEST: Final = 8
_COMPONENTS: Final = (("components", "schemas"), ("definitions",))
_MARKS: Final = ("readOnly", "writeOnly")


class DefinitionNames:
    """Names for the targets of references, the same ones in each import of a document."""

    def __init__(self, references: References, prefix: str) -> None:
        self._references = references
        self._prefix = prefix
        self._directed: dict[Steps, bool] = {}
        self._named: dict[str, Steps] = {}

    def name(self, steps: Steps, direction: Direction) -> str:
        """The name of the definition at these steps, for what is sent or for what comes back."""
        is_request = direction == "request" and self.is_directed(steps)
        suffix = "_request" if is_request else ""
        base = _legal(f"{self._prefix}{'_'.join(_own_steps(steps))}")
        is_exact = steps[:-1] in _COMPONENTS and base == f"{self._prefix}{steps[-1]}"
        name = base + suffix
        if not is_exact or len(name) > _LONGEST:
            digest = hashlib.sha256("/".join(steps).encode()).hexdigest()[:_DIGEST]
            name = f"{base[: _LONGEST - len(suffix) - _DIGEST - 1]}_{digest}{suffix}"
        return name

    def is_directed(self, steps: Steps) -> bool:
        """Whether what is sent differs from what comes back: something in it is only read or written."""
        if steps not in self._directed:
            target = self._references.target(_reference(steps))
            self._directed[steps] = target is not None and self._has_marks(target.value)
        return self._directed[steps]

    def _has_marks(self, schema: Any) -> bool:
        """Whether a schema, or one that it refers to, has a part for one direction only."""
        waiting, seen = [schema], set[Steps]()
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting += node
            elif isinstance(node, dict):
                if any(node.get(mark) is True for mark in _MARKS):
                    return True
                target = self._references.target(node["$ref"]) if "$ref" in node else None
                if target is not None and target.steps not in seen:
                    seen.add(target.steps)
                    waiting.append(target.value)
                waiting += [value for value in node.values() if isinstance(value, dict | list)]
        return False


def _reference(steps: Steps) -> str:
    return "#" + "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def _own_steps(steps: Steps) -> Iterator[str]:
    """The steps that tell a definition from others."""
    if steps[:-1] in _COMPONENTS:
        yield steps[-1]
    else:
        yield from steps or ("document",)


def _legal(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text).rstrip("_")
