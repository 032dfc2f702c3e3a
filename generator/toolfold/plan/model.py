"""The plan: frozen values that templates and writers place without deciding anything.

Tuples, not dataclasses: thousands of them are made in a run, and the classes in every start.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.vocabulary import Effect

from toolfold.errors import Problem

Json = dict[str, Any]


class Cost(NamedTuple):
    """What something costs an agent in tokens, and the budget that it counts against."""

    name: str
    tokens: int
    budget: str


class MetaToolPlan(NamedTuple):
    """A meta-tool as it is served."""

    role: str
    module: str | None
    name: str
    summary: str
    category: str | None
    example: str | None
    signature: str
    effects: tuple[Effect, ...]
    definition: Definition


class ToolPlan(NamedTuple):
    """What is decided about one tool by itself and used beyond it: plain data, to be kept."""

    #: Stands for all that it was decided from.
    key: str
    name: str
    id: str
    category: str
    effect: Effect
    tier: str | None
    summary: str
    example: str | None
    tags: list[str]
    aliases: list[str]
    related: list[str]
    generates: list[str]
    consumes: list[str]
    #: Whether it says how large its results may be.
    has_budget: bool
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
    #: How many words search knows of it, by field, and those of its name.
    lengths: dict[str, int]
    name_words: list[str]


class ToolTexts(NamedTuple):
    """What is decided about one tool and used nowhere else: large, so kept apart."""

    #: Its line in the catalog.
    line: str
    #: What search finds it by: its words by field.
    words: dict[str, list[str]]


class CategoryPlan(NamedTuple):
    """A category with the names of its tools, meta-tools included, in order."""

    name: str
    title: str
    description: str
    tools: tuple[str, ...]


class HandlerPlan(NamedTuple):
    """A generated meta-tool handler: its module, which names its function, and its served name."""

    module: str
    name: str


class ImportPlan(NamedTuple):
    """One import of the Handlers protocol."""

    module: str
    names: str


class MethodPlan(NamedTuple):
    """A method of the Handlers protocol: the user's class has one for each tool."""

    name: str
    #: The models module of its tool, below the package's `models`.
    module: str
    params_class: str
    result_class: str | None
    #: Python source of its docstring.
    docstring: str


class ProtocolPlan(NamedTuple):
    """What the user's class must satisfy, and where the manifest says that it is."""

    package: str
    #: `module:Class`; None where the manifest declares none.
    implementation: str | None
    methods: tuple[MethodPlan, ...]


class PagePlan(NamedTuple):
    """A Markdown page: a template and the ready-made strings that it places.

    They are worked out when the page is written: one that is kept is not. `seen` is what they are
    worked out from beside what tools share, where that is less work to compare.
    """

    path: str
    template: str
    values: Callable[[], Mapping[str, Any]]
    seen: Any = None


class Plan(NamedTuple):
    """All that will be emitted from one manifest."""

    #: Stands for all of it but the tools; empty where nothing is kept.
    key: str
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
