"""Views of an operation of an HTTP API: its trimmed schemas, and how to get what they omit."""

from typing import Final

from toolfold_runtime.contract.tool import ToolViews
from toolfold_runtime.contract.vocabulary import Format

from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.tool_views import views_of
from toolfold.plan.disclosure.view_definitions import ViewSchemas
from toolfold.plan.schemas.shown import ShownOperation
from toolfold.plan.text.escape import one_line

_MOST_PATHS: Final = 5
_LONGEST_PATH: Final = 60
_CUT: Final = "…"


def operation_views(
    name: str, tool: Tool, shown: ShownOperation, form: Format, schema_tool: str
) -> ToolViews:
    """The views of one operation; no definitions are beside them, as nothing refers to any."""
    schemas = ViewSchemas(shown.arguments, shown.answer or None, ())
    rest = _way_to_omitted(name, shown, schema_tool)
    request = tool.backend.operation if tool.backend else None
    return views_of(name, tool, shown.arguments, schemas, form, rest, request or "")


def _way_to_omitted(name: str, shown: ShownOperation, schema_tool: str) -> str:
    """How to get what was omitted; empty if nothing was, or if no meta-tool shows it."""
    paths = [one_line(path) for path in shown.cut if len(path) <= _LONGEST_PATH]
    paths = paths[: _MOST_PATHS - 1]
    paths += ["returns"] if _CUT in shown.answer else []
    if not paths or not schema_tool:
        return ""
    others = f"; also {', '.join(paths[1:])}" if len(paths) > 1 else ""
    return f'{schema_tool}("{name}.{paths[0]}") shows what is left out there{others}'
