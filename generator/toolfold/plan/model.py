"""The plan: frozen values that templates and writers place without deciding anything.

Tuples, not dataclasses: thousands of them are made in a run, and the classes in every start.
"""

from collections.abc import Mapping
from typing import NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.prompt import Prompt
from toolfold_runtime.contract.resource import GENERATED, Resource
from toolfold_runtime.contract.server import ServerFacts
from toolfold_runtime.contract.stub import ToolStub
from toolfold_runtime.contract.summary import Measured
from toolfold_runtime.contract.vocabulary import ContentKind, Effect, Tier

from toolfold.errors import Problem
from toolfold.plan.findings import Finding


class Cost(NamedTuple):
    """The tokens that something costs an agent, and the budget that it counts against."""

    name: str
    tokens: int
    budget: str
    #: The category whose view it is of, if it is of one.
    category: str = ""


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
    tags: tuple[str, ...] = ()
    tier: Tier | None = None
    deprecated: str | None = None
    measured: Measured | None = None
    returns: str = ""
    #: Whether it runs programs that call tools of these effects.
    runs_programs: bool = False

    @property
    def effect(self) -> Effect:
        """The gravest effect of what it runs."""
        return "destructive" if "destructive" in self.effects else "read"

    @property
    def shown_effect(self) -> str:
        """Its effect as agents and people are told it."""
        return self.effect


class ToolPlan(NamedTuple):
    """The plan of one tool."""

    name: str
    id: str
    category: str
    effect: Effect
    #: Its effect as agents and people are told it.
    shown_effect: str
    tier: Tier | None
    #: Its measured usage, if it is ranked by usage.
    measured: Measured | None
    #: What to use instead, or nothing; None where the tool is not deprecated.
    deprecated: str | None
    summary: str
    example: str | None
    #: The arguments of a valid call, as errors show them; None where none is found.
    arguments: Json | None
    tags: list[str]
    module: str
    method: str
    params_class: str
    result_class: str | None
    result_module: str | None
    content: ContentKind | None
    #: Python source of the docstring of its method.
    docstring: str
    signature: str
    #: The signature within a line.
    call: str
    #: Top-level parameters to their types, as in `str (required)`, and how many are left out.
    params: dict[str, str]
    more_params: int
    #: The type of the result in a word or two.
    returns: str
    #: Its tokens as a search result, with its summary, with its schema, in full, and listed.
    tokens: dict[str, int]
    #: The tokens that differ if it is listed, as its views then name no runner.
    tokens_if_listed: dict[str, int]
    #: Its line among search results, from the richest to the leanest, and what each costs.
    result_lines: list[str]
    result_tokens: list[int]
    #: The words that search finds it by, by field.
    words: dict[str, list[str]]
    #: Its line in the catalog, and whether that has only a part of the schema of its arguments.
    entry: str
    has_input_schema: bool = False
    #: Its typed function in programs; None where no programs are run.
    stub: ToolStub | None = None


class PlannedTool(NamedTuple):
    """The plan of one tool and its findings; no plan if a finding is an error."""

    findings: tuple[Finding, ...]
    plan: ToolPlan | None


class CategoryPlan(NamedTuple):
    """A category with the names of its tools, meta-tools included, in order."""

    name: str
    title: str
    description: str
    tools: tuple[str, ...]


class TemplateModule(NamedTuple):
    """A module of the package: a template and the values that it places."""

    template: str
    values: Mapping[str, object]


class MethodPlan(NamedTuple):
    """A method of the Handlers protocol: the user's class has one for each tool."""

    name: str
    tool: str
    #: The models module of the tool, below the package's `models`.
    module: str
    params_class: str
    #: The type of the value of its result and the module of that, which a definition shares; None
    #: for any, and for none.
    result_class: str | None
    result_module: str | None
    #: The annotation of its result, as Python source, and what that needs of the runtime: names as
    #: they are imported, such as `Image`.
    result: str
    runtime_names: tuple[str, ...]
    #: Python source of its docstring.
    docstring: str
    #: The content that its result has, if that is declared.
    content: ContentKind | None = None


class ProtocolPlan(NamedTuple):
    """The protocol that the user's class must satisfy, and where the manifest says the class is."""

    package: str
    #: `module:Class`; None where the manifest declares none.
    implementation: str | None
    methods: tuple[MethodPlan, ...]


class Page(NamedTuple):
    """A page of the docs: its output path, its template, and the values that the template places."""

    path: str
    template: str
    values: Mapping[str, object]


class Summary(NamedTuple):
    """The result of compiling a manifest, besides its files."""

    warnings: tuple[Problem, ...]
    exposure: str
    costs: tuple[Cost, ...]
    protocol: ProtocolPlan


class ResourcesPrompts(NamedTuple):
    """The resources and prompts of a server."""

    #: Whether its pages and schemas are resources.
    has_generated: bool
    #: The resources that the manifest declares.
    resources: tuple[Resource, ...]
    prompts: tuple[Prompt, ...]

    @property
    def all_resources(self) -> tuple[Resource, ...]:
        """All resources, the runtime's own first."""
        return (*GENERATED, *self.resources) if self.has_generated else self.resources


class Plan(NamedTuple):
    """All that is decided about a manifest's catalog, apart from its pages and modules."""

    facts: ServerFacts
    tools: tuple[ToolPlan, ...]
    costs: tuple[Cost, ...]
    #: The files of the catalog by their paths below it.
    data: Mapping[str, str]
    warnings: tuple[Problem, ...]
    resources_prompts: ResourcesPrompts
