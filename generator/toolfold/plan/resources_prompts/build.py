"""All resources and prompts of a server."""

from collections.abc import Sequence

from toolfold.manifest.schema import Manifest
from toolfold.manifest.tree import PlacedMapping
from toolfold.plan.findings import Findings
from toolfold.plan.model import MetaToolPlan, ResourcesPrompts, ToolPlan
from toolfold.plan.resources_prompts.prompts import check_prompts, declared_prompts
from toolfold.plan.resources_prompts.resources import check_resources, resources_of
from toolfold.plan.resources_prompts.workflows import Calling, check_prompt_names, workflow_prompts


def check_resources_prompts(manifest: Manifest, tree: PlacedMapping, findings: Findings) -> None:
    """Report resources and prompts that cannot be served."""
    check_resources(manifest, tree, findings)
    check_prompts(manifest, findings)
    check_prompt_names(manifest, tree, findings)


def resources_prompts_of(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    hot: Sequence[str],
) -> ResourcesPrompts:
    """The declared resources and prompts, and a prompt for each workflow."""
    disclosure = manifest.disclosure
    schema_tool = next((tool.name for tool in meta if tool.role == "schema"), "")
    prompts = list(declared_prompts(manifest))
    if disclosure.prompts == "on":
        calling = Calling({tool.name: tool for tool in tools}, hot, schema_tool)
        prompts += workflow_prompts(manifest, calling)
    return ResourcesPrompts(disclosure.resources == "on", resources_of(manifest), tuple(prompts))
