"""The plan: frozen values that templates and writers place without deciding anything."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toolfold.errors import Problem

Json = dict[str, Any]


@dataclass(frozen=True)
class Cost:
    """What something costs an agent in tokens, and the budget that it counts against."""

    name: str
    tokens: int
    budget: str


@dataclass(frozen=True)
class MetaToolPlan:
    """A meta-tool as it is served."""

    role: str
    module: str | None
    name: str
    summary: str
    category: str | None
    example: str | None
    signature: str
    effects: tuple[str, ...]
    definition: Json


@dataclass(frozen=True)
class ToolPlan:
    """Everything decided about one tool by itself: plain data, so that it can be kept."""

    #: Stands for all that it was decided from.
    key: str
    name: str
    module: str
    method: str
    params_class: str
    result_class: str | None
    result_annotation: str
    docstring: str
    signature: str
    #: What it costs an agent as a hit, by its summary, by its schema, in full, and listed.
    tokens: dict[str, int]
    #: Its forms among the hits of a search, from the richest to the leanest, and their costs.
    hits: list[str]
    hit_tokens: list[int]
    #: What search finds it by: its words by field.
    words: dict[str, list[str]]
    #: Its line in the catalog.
    line: str


@dataclass(frozen=True)
class CategoryPlan:
    """A category with the names of its tools, meta-tools included, in order."""

    name: str
    title: str
    description: str
    tools: tuple[str, ...]


@dataclass(frozen=True)
class HandlerPlan:
    """A generated meta-tool handler: its module, which names its function, and its served name."""

    module: str
    name: str


@dataclass(frozen=True)
class ImportPlan:
    """One import of the Handlers protocol."""

    module: str
    names: str


@dataclass(frozen=True)
class PagePlan:
    """A Markdown page: a template and the ready-made strings that it places.

    They are worked out when the page is written: one that is kept under its key is not.
    """

    path: str
    template: str
    values: Callable[[], Mapping[str, Any]]
    key: str = ""


@dataclass(frozen=True)
class Plan:
    """All that will be emitted from one manifest."""

    header: str
    package: str
    docstring: str
    root: str
    handlers: tuple[HandlerPlan, ...]
    server_imports: tuple[str, ...]
    tools: tuple[ToolPlan, ...]
    imports: tuple[ImportPlan, ...]
    handler_types: str
    data: Mapping[str, str]
    pages: tuple[PagePlan, ...]
    exposure: str
    costs: tuple[Cost, ...]
    warnings: tuple[Problem, ...]
