"""The models of every tool, from the cache where nothing changed, else made by workers."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from toolfold.emit.cache import Cache, content_key
from toolfold.emit.workers import Helper, Progress, model_all
from toolfold.plan.model import ToolPlan


@dataclass(frozen=True)
class ModelsPiece:
    """The models of one tool: import lines and class texts, in order."""

    imports: tuple[str, ...]
    classes: tuple[str, ...]


def model_pieces(
    tools: Sequence[ToolPlan], store: Cache, helper: Helper, progress: Progress
) -> dict[str, ModelsPiece]:
    """Name to models, for every tool."""
    keys = {tool.name: _key(tool) for tool in tools}
    known = store.get(keys.values())
    missing = [(tool.name, tool.models) for tool in tools if keys[tool.name] not in known]
    for pieces in model_all(missing, helper, progress):
        fresh = {keys[name]: json.dumps(piece) for name, piece in pieces.items()}
        store.put(fresh)
        known |= fresh
    return {name: _piece(known[key]) for name, key in keys.items()}


def _key(tool: ToolPlan) -> str:
    return content_key("models", _maker(), tool.models.classes, tool.models.fields)


def _piece(text: str) -> ModelsPiece:
    imports, classes = json.loads(text)
    return ModelsPiece(tuple(imports), tuple(classes))


@cache
def _maker() -> str:
    """What decides a piece besides its schemas: the generator, and how we use it."""
    ours = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in ("modelling", "audit")]
    digest = hashlib.sha256(b"".join(ours)).hexdigest()
    return f"{version('datamodel-code-generator')} {digest}"
