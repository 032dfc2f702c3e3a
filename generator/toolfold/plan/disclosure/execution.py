"""How tools are run: what the manifest says about it, as the runtime reads it."""

from collections.abc import Sequence

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.disclosure.meta_tools import runner_of
from toolfold.plan.model import Json, ToolPlan


def execution_facts(manifest: Manifest, tools: Sequence[ToolPlan]) -> Json:
    """What holds for the whole server."""
    runner = runner_of(manifest, "read")
    return {
        "execution": _execution(manifest),
        "lifecycle": _lifecycle(tools),
        "reader": runner or None,
        "is_cut": bool(runner) and _is_cut(manifest, tools),
    }


def limits_of(tool: Tool) -> Json:
    """What a tool says about its own calls; empty for most."""
    said = {
        "timeout": tool.timeout,
        "concurrency": tool.concurrency,
        "coerce_strings": tool.coerce_strings,
        "budget": tool.budget,
        "cache": tool.cache.ttl if tool.cache else None,
    }
    return {key: value for key, value in said.items() if value is not None}


def _execution(manifest: Manifest) -> Json:
    """What the manifest writes itself; the defaults are the runtime's."""
    execution = manifest.execution
    said = {
        "timeout": execution.timeout,
        "concurrency": execution.concurrency,
        "coerce_strings": execution.coerce_strings or None,
        "budget": manifest.disclosure.budgets.result,
    }
    if execution.cache.model_fields_set:
        said["cache_entries"] = execution.cache.entries
        said["cache_bytes"] = int(execution.cache.megabytes * 1_000_000)
    return {key: value for key, value in said.items() if value is not None}


def _lifecycle(tools: Sequence[ToolPlan]) -> list[str]:
    """The methods that are awaited at the beginning and the end, unless they carry out tools."""
    methods = {tool.method for tool in tools}
    return [name for name in ("start", "close") if name not in methods]


def _is_cut(manifest: Manifest, tools: Sequence[ToolPlan]) -> bool:
    """Whether the result of any tool may be cut."""
    return manifest.disclosure.budgets.result is not None or any(t.has_budget for t in tools)
