"""Everything that a server offers beside tools."""

from collections.abc import Sequence

from toolfold.manifest.schema import Manifest
from toolfold.manifest.tree import PlacedMapping
from toolfold.plan.findings import Findings
from toolfold.plan.model import MetaToolPlan, Offers, ToolPlan
from toolfold.plan.offers.prompts import check_prompts, declared_prompts
from toolfold.plan.offers.resources import check_resources, resources_of
from toolfold.plan.offers.workflows import Calling, check_prompt_names, workflow_prompts


def check_offers(manifest: Manifest, tree: PlacedMapping, findings: Findings) -> None:
    """Report resources and prompts that could not be offered."""
    check_resources(manifest, tree, findings)
    check_prompts(manifest, findings)
    check_prompt_names(manifest, tree, findings)


def offers_of(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    hot: Sequence[str],
) -> Offers:
    """What the manifest declares, and a prompt for each workflow."""
    disclosure = manifest.disclosure
    schema_tool = next((tool.name for tool in meta if tool.role == "schema"), "")
    prompts = list(declared_prompts(manifest))
    if disclosure.prompts == "on":
        calling = Calling({tool.name: tool for tool in tools}, hot, schema_tool)
        prompts += workflow_prompts(manifest, calling)
    return Offers(disclosure.resources == "on", resources_of(manifest), tuple(prompts))
