"""Resources that a manifest declares: results of tools by address."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.address import AddressTemplate, parse_template
from toolfold_runtime.contract.resource import JSON, PLAIN, SCHEME, Resource, Variable

from toolfold.manifest.schema import Manifest
from toolfold.manifest.schema import Resource as Declared
from toolfold.manifest.tree import PlacedMapping, place_of
from toolfold.plan.findings import Findings
from toolfold.plan.resources_prompts.parameters import parameters_of, text_problems
from toolfold.plan.schemas.served import output_schema

_CODE: Final = "resource"
# No address has it, so that only a variable can match it.
_ANYTHING: Final = "\0"


def resources_of(manifest: Manifest) -> tuple[Resource, ...]:
    """The resources that the manifest declares, in its order."""
    return tuple(
        _resource(manifest, name, resource) for name, resource in manifest.resources.items()
    )


def check_resources(manifest: Manifest, tree: PlacedMapping, findings: Findings) -> None:
    """Report addresses that cannot be read, and those hidden by an earlier address."""
    templates: dict[str, AddressTemplate] = {}
    for name, resource in manifest.resources.items():
        path = ("resources", name, "uri")
        if resource.uri.startswith(SCHEME):
            fact = f"addresses of {SCHEME} are the server's own"
            findings.error(path, fact, "choose another scheme, as in orders://{id}", _CODE)
        try:
            templates[name] = parse_template(resource.uri)
        except ValueError as error:
            hint = "variables are names in braces with text between them, as in orders://{id}"
            findings.error(path, str(error), hint, _CODE)
            continue
        _check_tool(manifest, name, resource, templates[name], findings)
    for later, earlier in _shadowed(templates):
        place = place_of(tree, ("resources", earlier), of_key=True)
        fact = f'all of its addresses are those of "{earlier}" ({place})'
        hint = "give one of them another address, or put the more special one first"
        findings.error(("resources", later, "uri"), fact, hint, _CODE)


def _check_tool(
    manifest: Manifest,
    name: str,
    resource: Declared,
    template: AddressTemplate,
    findings: Findings,
) -> None:
    """Report variables of an address that do not fit the parameters of its tool."""
    tool = manifest.tools.get(resource.tool)
    if tool is None:
        return  # which is reported elsewhere
    if tool.effect != "read":
        fact = f'"{resource.tool}" has the effect {tool.effect}'
        hint = "reading an address changes nothing: name a tool of effect read"
        findings.error(("resources", name, "tool"), fact, hint, _CODE)
    parameters = parameters_of(tool, manifest.defs)
    path = ("resources", name, "uri")
    for variable in template.names:
        for fact, hint in text_problems(variable, resource.tool, parameters):
            findings.error(path, fact, hint, _CODE)
    for parameter in parameters.values():
        if parameter.is_required and parameter.name not in template.names:
            hint = f"put it into the address: {{{parameter.name}}}"
            findings.error(path, f'"{resource.tool}" needs "{parameter.name}"', hint, _CODE)


def _shadowed(templates: dict[str, AddressTemplate]) -> Iterator[tuple[str, str]]:
    """Pairs of names: a resource, and an earlier one that matches all of its addresses.

    An address without variables comes before every template, so only its like can hide it.
    """
    seen: dict[str, AddressTemplate] = {}
    for name, template in templates.items():
        address = _ANYTHING.join(template.texts)
        for earlier, other in seen.items():
            is_like = bool(other.names) == bool(template.names)
            if is_like and (other.texts == template.texts or _matches(other, address)):
                yield name, earlier
                break
        seen[name] = template


def _matches(template: AddressTemplate, address: str) -> bool:
    return bool(template.names) and template.match(address) is not None


def _resource(manifest: Manifest, name: str, declared: Declared) -> Resource:
    parameters = parameters_of(manifest.tools[declared.tool], manifest.defs)
    variables = parse_template(declared.uri).names
    return Resource(
        name=name,
        uri=declared.uri,
        description=declared.summary,
        title=declared.title,
        mime_type=declared.mime_type or _returned_type(manifest, declared.tool),
        tool=declared.tool,
        variables=tuple(Variable(one, parameters[one].values) for one in variables),
    )


def _returned_type(manifest: Manifest, tool: str) -> str | None:
    """The media type of a tool's result; None if the manifest does not determine it."""
    returned = output_schema(manifest.tools[tool], manifest.defs)
    if returned is None:
        return None
    return PLAIN if returned.get("type") == "string" else JSON
