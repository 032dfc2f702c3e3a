"""The models of every tool: forms of shapes from the cache, or from the model generator."""

import hashlib
import json
import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from toolfold.emit.models.classes import ModelsPiece, shapes_of, written
from toolfold.emit.models.shapes import Form, Shape, model_shapes
from toolfold.emit.models.worker import WORTH_A_PROCESS, Progress, Worker
from toolfold.memo.installed import installed
from toolfold.memo.keys import content_key
from toolfold.memo.store import Cache
from toolfold.plan.catalog import Planned
from toolfold.plan.model import ToolPlan
from toolfold.plan.tool import models_of

if TYPE_CHECKING:
    from toolfold.plan.schemas.models import ModelClasses


class Modelling:
    """The models of every tool: begun once tools are planned, waited for when they are rendered."""

    def __init__(self, store: Cache, worker: Worker, progress: Progress) -> None:
        self._store = store
        self._worker = worker
        self._progress = progress
        #: The finished modules of tools that did not change, by key.
        self.modules: dict[str, str] = {}
        self._models: dict[str, ModelClasses] = {}
        self._forms: dict[str, str] = {}
        self._missing: dict[str, Shape] = {}

    def begin(self, planned: Planned) -> None:
        """Look up what is known, and let the worker begin with the rest where there is much."""
        manifest = planned.loaded.manifest
        self.modules = self._store.get(module_key(tool) for tool in planned.tools if tool.key)
        changed = [tool for tool in planned.tools if module_key(tool) not in self.modules]
        self._models = {tool.name: models_of(tool.name, manifest) for tool in changed}
        shapes = {_key(s): s for models in self._models.values() for s in shapes_of(models)}
        self._forms = self._store.get(shapes)
        self._missing = {key: s for key, s in shapes.items() if key not in self._forms}
        if self._is_sent:
            self._worker.begin(list(self._missing.values()))

    def pieces(self) -> dict[str, ModelsPiece]:
        """Name to models, for every tool whose module is not finished."""
        missing = list(self._missing.values())
        keys = iter(self._missing)
        done = 0
        for forms in self._worker.forms() if self._is_sent else model_shapes(missing):
            fresh = {next(keys): json.dumps(asdict(form)) for form in forms}
            self._store.put(fresh)
            self._forms |= fresh
            done += len(forms)
            self._progress(done, len(missing))
        by_key = {key: Form(**json.loads(text)) for key, text in self._forms.items()}
        return {
            name: written(models, lambda shape: by_key[_key(shape)])
            for name, models in self._models.items()
        }

    @property
    def _is_sent(self) -> bool:
        return len(self._missing) >= WORTH_A_PROCESS


def module_key(tool: ToolPlan) -> str:
    """What the finished module of a tool is kept under."""
    return f"module {tool.key}"


def _key(shape: Shape) -> str:
    flags = [shape.is_required, shape.is_described, shape.is_aliased]
    return content_key("form", _maker(), shape.schema, flags)


@cache
def _maker() -> str:
    """What decides a form besides its shape: the generator, and how we use it."""
    ours = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in ("shapes", "audit")]
    digest = hashlib.sha256(b"".join(ours)).hexdigest()
    return f"{installed(['datamodel_code_generator', 'pydantic'])} {sys.version} {digest}"
