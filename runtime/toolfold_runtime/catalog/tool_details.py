"""The answer about tools that an agent names: a view of each, within the budget of an answer."""

from typing import TYPE_CHECKING, Final

from toolfold_runtime.catalog.definitions import ShownDefinitions
from toolfold_runtime.catalog.schema_answer import Asked, schema_answer
from toolfold_runtime.catalog.schema_part import part_view, tool_of_part
from toolfold_runtime.contract.server import is_listed, run_step, runner_for
from toolfold_runtime.contract.stub import stub_source
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.contract.vocabulary import STUB_DETAIL, TOOL_DETAILS
from toolfold_runtime.errors import ToolError, not_one_of, too_large
from toolfold_runtime.jsontext import MOST_ANSWER_BYTES, compact

if TYPE_CHECKING:
    from toolfold_runtime.catalog.catalog import Catalog

#: Tools that one request may ask about, so that it holds up no other.
MOST_TOOLS_AT_ONCE: Final = 200
_MOST_COMMAS: Final = 600_000
_BATCH: Final = 10_000


def tool_details(catalog: "Catalog", tools: str, detail: str, exposure: str) -> str:
    """The view of each tool that a text names, one per line; ToolError where that is too much.

    A name that is repeated counts once, and so does a definition that several tools share.
    Schemas keep the budget of an answer: the largest are shown shortened, which the full detail
    never is.
    """
    names = _names_in(tools)
    details = (*TOOL_DETAILS, STUB_DETAIL) if catalog.facts.program_tools else TOOL_DETAILS
    if detail not in details:
        raise not_one_of("detail", detail, details)
    if detail == STUB_DETAIL:
        return _stubs(catalog, names)
    if any(_is_part(catalog, name) for name in names):
        return _schema_parts(catalog, names, detail, exposure)
    if detail == "schema":
        asked = [_asked_tool(catalog, name, exposure) for name in names]
        facts = catalog.facts
        return "\n".join(schema_answer(asked, facts.details, facts.schema_tool or ""))
    views: list[str] = []
    shown = ShownDefinitions()
    room = MOST_ANSWER_BYTES
    for name in names:
        views.append(_meta_tool(catalog, name) or _detail(catalog, name, detail, exposure, shown))
        room -= len(views[-1].encode()) + 1
        if room < 0:
            raise too_large("what was asked for", "Name fewer tools.")
    return "\n".join(views)


def _names_in(text: str) -> list[str]:
    """The names in a comma-separated text, each once; ToolError for none and for too many."""
    if text.count(",") > _MOST_COMMAS:
        number = f"{text.count(',') + 1:,} names"
        raise ToolError("invalid_arguments", f"{number} are too many. Name each tool once.")
    names: dict[str, None] = {}
    given = text.split(",")
    for start in range(0, len(given), _BATCH):
        names |= dict.fromkeys(map(str.strip, dict.fromkeys(given[start : start + _BATCH])))
        names.pop("", None)
        if len(names) > MOST_TOOLS_AT_ONCE:
            way_out = f"Name at most {MOST_TOOLS_AT_ONCE}."
            raise ToolError("budget_exceeded", f"too many tools at once. {way_out}")
    if not names:
        raise ToolError("unknown_tool", "no tool was named. Pass its name as `tool`.")
    return list(names)


def _stubs(catalog: "Catalog", names: list[str]) -> str:
    """The functions of some tools in programs, after the types that they share."""
    entries = [catalog.entry(name) for name in names]
    functions = [catalog.stub(entry.function or entry.name) for entry in entries]
    stubs = [stub for stub in functions if stub is not None]
    text = stub_source(stubs, catalog.stub_types(stubs))
    if len(text) > MOST_ANSWER_BYTES:
        raise too_large("what was asked for", "Name fewer tools.")
    return text


def _is_part(catalog: "Catalog", name: str) -> bool:
    """Whether a name is a tool's with a path into its schemas: `create_issue.labels`."""
    knows = catalog.knows
    return "." in name and not knows(name) and knows(tool_of_part(name, knows))


def _schema_parts(catalog: "Catalog", names: list[str], detail: str, exposure: str) -> str:
    """Parts of schemas, a line each; whole tools among them are shown as usual."""
    views = []
    for name in names:
        if _is_part(catalog, name):
            entry = catalog.entry(tool_of_part(name, catalog.knows))
            views.append(part_view(catalog, entry, name))
        else:
            views.append(tool_details(catalog, name, detail, exposure))
    if sum(len(view.encode()) for view in views) > MOST_ANSWER_BYTES:
        raise too_large("what was asked for", "Name fewer parts.")
    return "\n".join(views)


def _meta_tool(catalog: "Catalog", name: str) -> str:
    """The schema of a meta-tool; empty for any other name."""
    for definition in catalog.facts.meta_tools:
        if definition.name == name:
            shown = {"name": name, "description": definition.description}
            return compact(shown | {"parameters": definition.input_schema})
    return ""


def _detail(
    catalog: "Catalog", name: str, detail: str, exposure: str, shown: ShownDefinitions
) -> str:
    """The view of a tool without the definitions that were shown before."""
    entry = catalog.entry(name)
    following = _following(catalog, entry, exposure)
    return entry.views.text(detail, shown.missing_for(entry), following)


def _asked_tool(catalog: "Catalog", name: str, exposure: str) -> Asked:
    """A tool or meta-tool as an answer with schemas needs it."""
    if text := _meta_tool(catalog, name):
        return Asked(name, None, text=text)
    entry = catalog.entry(name)
    return Asked(entry.name, entry, _following(catalog, entry, exposure))


def _following(catalog: "Catalog", entry: ToolEntry, exposure: str) -> str:
    """The next step of a view; empty for a listed tool, which is called by its own name."""
    facts = catalog.facts
    if is_listed(entry.name, exposure or facts.exposure, facts.hot):
        return ""
    return run_step(runner_for(facts.runners, entry.effect), facts.arguments)
