"""Prompts that a manifest declares: texts with arguments, and answers of tools."""

import re
from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.prompt import Prompt, PromptArgument, PromptPart

from toolfold.manifest.hints import nearest
from toolfold.manifest.schema import Manifest
from toolfold.manifest.schema import Prompt as Declared
from toolfold.manifest.schema import PromptArgument as DeclaredArgument
from toolfold.plan.findings import Findings
from toolfold.plan.resources_prompts.parameters import ToolParameter, parameters_of, text_problems

_CODE: Final = "prompt"
_BRACES: Final = re.compile(r"\{\{|\}\}|\{([A-Za-z0-9_-]+)\}|[{}]")


def declared_prompts(manifest: Manifest) -> Iterator[Prompt]:
    """The prompts that the manifest declares, in its order."""
    for name, prompt in manifest.prompts.items():
        yield Prompt(
            name=name,
            description=prompt.summary,
            title=prompt.title,
            arguments=tuple(_arguments(manifest, prompt)),
            parts=tuple(_parts(prompt.text)) if prompt.text is not None else (),
            tool=prompt.tool or "",
        )


def check_prompts(manifest: Manifest, findings: Findings) -> None:
    """Report prompts that cannot be filled in."""
    for name, prompt in manifest.prompts.items():
        if (prompt.text is None) == (prompt.tool is None):
            fact = "a prompt has either a text or a tool"
            hint = "`text:` for what it says, `tool:` for one that answers it"
            findings.error(("prompts", name), fact, hint, _CODE, of_key=True)
        elif prompt.text is not None:
            _check_text(name, prompt.text, list(prompt.arguments or {}), findings)
        elif prompt.tool in manifest.tools:
            _check_tool(manifest, name, prompt, findings)


def _check_text(name: str, text: str, arguments: list[str], findings: Findings) -> None:
    """Report placeholders of a text that are not declared arguments, and arguments not used in it."""
    path = ("prompts", name, "text")
    used = set[str]()
    for match in _BRACES.finditer(text):
        if match[1] is not None and match[1] not in used:
            used.add(match[1])
            if match[1] not in arguments:
                hint = nearest(match[1], arguments) or "declare it under `arguments:`"
                findings.error(path, f'no argument "{match[1]}"', hint, _CODE)
        elif match[0] in ("{", "}"):
            hint = "write {{ and }} for braces, and {name} for an argument"
            findings.error(path, "a brace that is not part of an argument", hint, _CODE)
            return  # what comes after it may be an argument, or not
    for argument in arguments:
        if argument not in used:
            where = ("prompts", name, "arguments", argument)
            hint = f"put {{{argument}}} where it belongs, or take the argument out"
            findings.error(where, f'the text does not use "{argument}"', hint, _CODE, of_key=True)


def _check_tool(manifest: Manifest, name: str, prompt: Declared, findings: Findings) -> None:
    """Report arguments of a prompt that do not fit the parameters of its tool."""
    tool_name = prompt.tool or ""
    tool, path = manifest.tools[tool_name], ("prompts", name, "tool")
    if tool.effect != "read":
        fact = f'"{tool_name}" has the effect {tool.effect}'
        hint = "asking for a prompt changes nothing: name a tool of effect read"
        findings.error(path, fact, hint, _CODE)
    parameters = parameters_of(tool, manifest.defs)
    given = _declared_arguments(prompt, parameters)
    for argument in given:
        is_own = prompt.arguments is not None
        where = ("prompts", name, "arguments", argument) if is_own else path
        for fact, hint in text_problems(argument, tool_name, parameters):
            findings.error(where, fact, hint, _CODE, of_key=is_own)
    for parameter in parameters.values():
        if parameter.is_required and (
            parameter.name not in given or not given[parameter.name].required
        ):
            fact = f'"{tool_name}" needs "{parameter.name}"'
            hint = f"declare it: `{parameter.name}: {{required: true}}`"
            findings.error((*path[:2], "arguments"), fact, hint, _CODE, of_key=True)


def _declared_arguments(
    prompt: Declared, parameters: dict[str, ToolParameter]
) -> dict[str, DeclaredArgument]:
    """The declared arguments; else the tool's parameters that take text or are required."""
    if prompt.arguments is not None or prompt.tool is None:
        return prompt.arguments or {}
    return {
        parameter.name: DeclaredArgument(required=parameter.is_required)
        for parameter in parameters.values()
        if parameter.takes_text or parameter.is_required
    }


def _arguments(manifest: Manifest, prompt: Declared) -> Iterator[PromptArgument]:
    """The arguments as they are listed, completed from the tool's parameters."""
    parameters: dict[str, ToolParameter] = {}
    if prompt.tool is not None:
        parameters = parameters_of(manifest.tools[prompt.tool], manifest.defs)
    for name, argument in _declared_arguments(prompt, parameters).items():
        parameter = parameters.get(name)
        yield PromptArgument(
            name=name,
            description=argument.description or (parameter.description if parameter else ""),
            required=argument.required,
            values=tuple(argument.values) or (parameter.values if parameter else ()),
        )


def _parts(text: str) -> Iterator[PromptPart]:
    """A text in pieces, each with the argument that follows it."""
    at, literal = 0, ""
    for match in _BRACES.finditer(text):
        literal += text[at : match.start()]
        at = match.end()
        if match[1] is None:
            literal += match[0][0]  # one of two braces
            continue
        if literal:
            yield PromptPart(literal)
        yield PromptPart(argument=match[1])
        literal = ""
    literal += text[at:]
    if literal:
        yield PromptPart(literal)
