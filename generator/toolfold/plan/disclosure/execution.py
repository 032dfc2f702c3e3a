"""How tools are run: what the manifest says about it, as the runtime reads it."""

from collections.abc import Sequence

from toolfold_runtime.contract.server import Execution, ProgramLimits
from toolfold_runtime.contract.tool import CallLimits

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.model import ToolPlan


def limits_of(tool: Tool) -> CallLimits:
    """The limits that a tool sets for its own calls."""
    return CallLimits(
        timeout=tool.timeout,
        concurrency=tool.concurrency,
        coerce_strings=tool.coerce_strings,
        budget=tool.budget,
        cache_ttl=tool.cache.ttl if tool.cache else None,
        is_cache_shared=tool.cache is not None and tool.cache.shared,
    )


def execution_of(manifest: Manifest) -> Execution:
    """How tools are run where they set no limits of their own."""
    execution, defaults = manifest.execution, Execution()
    return Execution(
        timeout=execution.timeout or defaults.timeout,
        concurrency=execution.concurrency or defaults.concurrency,
        coerce_strings=execution.coerce_strings,
        budget=manifest.disclosure.budgets.result,
        cache_entries=execution.cache.entries,
        cache_bytes=int(execution.cache.megabytes * 1_000_000),
        program=_program_limits(manifest),
    )


def _program_limits(manifest: Manifest) -> ProgramLimits:
    """The limits of a program; the defaults, which the catalog omits, where no programs are run."""
    if manifest.disclosure.code == "off":
        return ProgramLimits()
    bounds = manifest.execution.code
    return ProgramLimits(
        seconds=bounds.seconds,
        megabytes=bounds.megabytes,
        calls=bounds.calls,
        output=bounds.output,
        has_clock=bounds.clock == "on",
    )


def lifecycle_methods(tools: Sequence[ToolPlan]) -> tuple[str, ...]:
    """The methods that are awaited at the beginning and the end, unless they carry out tools."""
    methods = {tool.method for tool in tools}
    return tuple(name for name in ("start", "close") if name not in methods)


def has_result_budget(manifest: Manifest) -> bool:
    """Whether the result of any tool, or the answer of a program, may be truncated."""
    if manifest.disclosure.code != "off":
        return True
    budgets = (tool.budget for tool in manifest.tools.values())
    return any(budget is not None for budget in (manifest.disclosure.budgets.result, *budgets))
