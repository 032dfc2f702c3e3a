"""The models of every tool: forms of shapes from the cache, or from the model generator."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path

from toolfold.emit.cache import Cache, content_key
from toolfold.emit.classes import ModelsPiece, shapes_of, written
from toolfold.emit.modelling import Form, Shape, model_shapes
from toolfold.emit.worker import WORTH_A_PROCESS, Progress, Worker
from toolfold.plan.model import ToolPlan


class Modelling:
    """The models of every tool: begun once tools are planned, waited for when they are rendered."""

    def __init__(self, store: Cache, worker: Worker, progress: Progress) -> None:
        self._store = store
        self._worker = worker
        self._progress = progress
        self._tools: Sequence[ToolPlan] = ()
        self._known: dict[str, str] = {}
        self._missing: dict[str, Shape] = {}

    def begin(self, tools: Sequence[ToolPlan]) -> None:
        """Look up what is known, and let the worker begin with the rest where there is much."""
        self._tools = tools
        shapes = {_key(shape): shape for tool in tools for shape in shapes_of(tool.models)}
        self._known = self._store.get(shapes)
        self._missing = {key: s for key, s in shapes.items() if key not in self._known}
        if self._is_sent:
            self._worker.begin(list(self._missing.values()))

    def pieces(self) -> dict[str, ModelsPiece]:
        """Name to models, for every tool."""
        missing = list(self._missing.values())
        keys = iter(self._missing)
        done = 0
        for forms in self._worker.forms() if self._is_sent else model_shapes(missing):
            fresh = {next(keys): json.dumps(asdict(form)) for form in forms}
            self._store.put(fresh)
            self._known |= fresh
            done += len(forms)
            self._progress(done, len(missing))
        forms_by_key = {key: Form(**json.loads(text)) for key, text in self._known.items()}
        return {
            tool.name: written(tool.models, lambda shape: forms_by_key[_key(shape)])
            for tool in self._tools
        }

    @property
    def _is_sent(self) -> bool:
        return len(self._missing) >= WORTH_A_PROCESS


def _key(shape: Shape) -> str:
    flags = [shape.is_required, shape.is_described, shape.is_aliased]
    return content_key("form", _maker(), shape.schema, flags)


@cache
def _maker() -> str:
    """What decides a form besides its shape: the generator, and how we use it."""
    ours = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in ("modelling", "audit")]
    digest = hashlib.sha256(b"".join(ours)).hexdigest()
    return f"{version('datamodel-code-generator')} {digest}"
