"""The retrieval check: the example prompt of a tool must find it among the first results."""

from collections.abc import Mapping, Sequence
from typing import Final

from toolfold.manifest.schema import Manifest
from toolfold.plan.findings import Findings
from toolfold.plan.model import ToolPlan

_LOOKED_AT: Final = 50
_NAMED: Final = 5


def check_retrieval(
    manifest: Manifest, tools: Sequence[ToolPlan], data: Mapping[str, str], findings: Findings
) -> None:
    """Warn of every prompt whose tool is not among the first results, with those that are.

    Those of deprecated tools, which come last, are not asked.
    """
    current = (tool for tool in tools if tool.deprecated is None)
    prompts = {tool.name: tool.example for tool in current if tool.example}
    if not prompts:
        return
    # Imported here: whoever has no prompts need not wait for it.
    from toolfold_runtime.search.find import finder_for

    finder = finder_for(lambda path: data[path].encode(), manifest.disclosure.search)
    within = manifest.disclosure.found_within
    for name, prompt in prompts.items():
        ranked = finder.find(prompt, _LOOKED_AT).tools
        names = [finder.index.tools[one.tool].name for one in ranked]
        if name not in names[:within]:
            hint = "say in its summary, description or tags what the prompt says"
            findings.warning(("tools", name, "example"), _fact(name, names), hint, "retrieval")


def _fact(name: str, names: list[str]) -> str:
    before = names[: names.index(name)] if name in names else names
    shown = ", ".join(before[:_NAMED]) or "nothing"
    more = f" and {len(before) - _NAMED} more" if len(before) > _NAMED else ""
    if name in names:
        return f"this prompt finds {name} at {len(before) + 1}, after {shown}{more}"
    return f"this prompt does not find {name}, but {shown}{more}"
