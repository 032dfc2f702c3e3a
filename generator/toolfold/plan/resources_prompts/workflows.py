"""Workflows as prompts that lead an agent through their steps."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, groupby
from typing import Final, NamedTuple

from toolfold_runtime.contract.prompt import Prompt, PromptArgument, PromptPart
from toolfold_runtime.contract.vocabulary import EXPOSURES, Exposure

from toolfold.manifest.schema import Manifest, Tool, Workflow
from toolfold.manifest.tree import PlacedMapping, place_of
from toolfold.plan.disclosure.deprecation import marked
from toolfold.plan.disclosure.meta_tools import runner_of
from toolfold.plan.findings import Findings
from toolfold.plan.model import ToolPlan
from toolfold.plan.resources_prompts.parameters import ToolParameter, parameters_of

_LONGEST_NAME: Final = 64
_SEPARATORS: Final = re.compile(r"[^a-z0-9]+")
_EFFECTS: Final = {
    "read": "",
    "write": "It changes data.",
    "destructive": "It can destroy data: say what it will do, and go on when the user agrees.",
}


class Calling(NamedTuple):
    """How each tool is called, which depends on the whole catalog."""

    tools: Mapping[str, ToolPlan]
    hot: Sequence[str]
    #: The served name of the meta-tool for schemas; empty where there is none.
    schema_tool: str


class _Input(NamedTuple):
    """A parameter of a step, and where its value comes from: an argument, or an earlier step."""

    parameter: ToolParameter
    argument: str = ""
    #: Whether the argument is required; that of a later step is not, as the agent may find it out.
    is_required: bool = False
    #: The number of the step, and the name of the value that it generates.
    step: int = 0
    value: str = ""


def prompt_names(workflows: Sequence[Workflow]) -> list[str]:
    """The name of each workflow's prompt: its own in lower case with `_` between words.

    One that comes to the same as an earlier one gets a number. Letters that a name cannot have
    are not left out of it: what remains would mean little.
    """
    names: dict[str, None] = {}
    for number, flow in enumerate(workflows, 1):
        prompt_name = _prompt_name(flow.name) or f"workflow_{number}"
        more = (f"{prompt_name[: _LONGEST_NAME - 6]}_{n}" for n in count(2))
        names[next(name for name in chain([prompt_name], more) if name not in names)] = None
    return list(names)


def check_prompt_names(manifest: Manifest, tree: PlacedMapping, findings: Findings) -> None:
    """Report declared prompts that have the name of a workflow's."""
    if manifest.disclosure.prompts == "off":
        return
    for index, name in enumerate(prompt_names(manifest.workflows)):
        if name in manifest.prompts:
            place = place_of(tree, ("workflows", index, "name"))
            fact = f'"{name}" is the prompt of a workflow ({place})'
            hint = "rename one of them, or set `disclosure.prompts: off`"
            findings.error(("prompts", name), fact, hint, "prompt", of_key=True)


def workflow_prompts(manifest: Manifest, calling: Calling) -> Iterator[Prompt]:
    """A prompt for each workflow, in their order."""
    for flow, name in zip(manifest.workflows, prompt_names(manifest.workflows), strict=True):
        inputs = _inputs(manifest, flow)
        yield Prompt(
            name=name,
            description=flow.description or ", then ".join(flow.steps),
            title=flow.name,
            arguments=tuple(_arguments(flow, inputs)),
            parts=tuple(_merged(_parts(manifest, calling, flow, inputs))),
        )


def _prompt_name(text: str) -> str:
    """A text as the name of a prompt; empty if it has letters or digits outside ASCII."""
    # Small letters of what was taken apart, and what those are made of.
    small = unicodedata.normalize("NFKD", text).casefold()
    letters = unicodedata.normalize("NFKD", small)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    if any(character.isalnum() and not character.isascii() for character in plain):
        return ""
    return _SEPARATORS.sub("_", plain)[:_LONGEST_NAME].strip("_")


def _inputs(manifest: Manifest, flow: Workflow) -> list[list[_Input]]:
    """For each step, the parameters that need a value, and where it comes from.

    Those are the required ones, and of the first step also optional ones without a default.
    """
    generated: dict[str, int] = {}
    names: dict[str, ToolParameter] = {}
    steps = []
    for number, step in enumerate(flow.steps, 1):
        tool = manifest.tools[step]
        step_inputs = []
        for parameter in parameters_of(tool, manifest.defs).values():
            value = _supplied_value(parameter, tool, generated)
            is_wanted = parameter.is_required or (number == 1 and not parameter.has_default)
            if value:
                step_inputs.append(_Input(parameter, step=generated[value], value=value))
            elif is_wanted:
                is_required = number == 1 and parameter.is_required
                name = _argument_name(parameter, step, names)
                step_inputs.append(_Input(parameter, name, is_required=is_required))
        steps.append(step_inputs)
        generated |= dict.fromkeys(tool.generates, number)
    return steps


def _supplied_value(parameter: ToolParameter, tool: Tool, generated: Mapping[str, int]) -> str:
    """The name of the value from an earlier step for a parameter; empty if no step supplies it."""
    name = parameter.name
    if name in generated and (parameter.is_required or name in tool.consumes):
        return name
    # As `id` takes an `order_id`, where the tool says that it consumes one.
    values = (value for value in tool.consumes if value.endswith(f"_{name}"))
    return next((value for value in values if value in generated), "")


def _argument_name(parameter: ToolParameter, step: str, names: dict[str, ToolParameter]) -> str:
    """The name of a parameter's argument, shared by steps that describe the parameter alike."""
    known = names.setdefault(parameter.name, parameter)
    same = (known.description, known.values) == (parameter.description, parameter.values)
    return parameter.name if same else f"{step}_{parameter.name}"


def _arguments(flow: Workflow, inputs: Sequence[Sequence[_Input]]) -> list[PromptArgument]:
    """The arguments by name, the required ones first: some clients take them in order."""
    arguments: dict[str, PromptArgument] = {}
    for step, step_inputs in zip(flow.steps, inputs, strict=True):
        for one in step_inputs:
            if not one.argument:
                continue
            parameter, known = one.parameter, arguments.get(one.argument)
            arguments[one.argument] = PromptArgument(
                one.argument,
                parameter.description or f"{parameter.name} of {step}",
                one.is_required or (known is not None and known.required),
                parameter.values,
            )
    return sorted(arguments.values(), key=lambda argument: not argument.required)


def _parts(
    manifest: Manifest, calling: Calling, flow: Workflow, inputs: Sequence[Sequence[_Input]]
) -> Iterator[PromptPart]:
    """The text in pieces; each but the first begins with the end of the line before."""
    yield PromptPart(f"{flow.name}\n{flow.description}" if flow.description else flow.name)
    yield PromptPart(
        "\n\nWork through these steps in order, with the tools of this server."
        " Where one fails, stop and say why."
    )
    for number, step in enumerate(flow.steps, 1):
        plan = calling.tools[step]
        heading = f"\n\nStep {number}: {step}, {marked(plan.summary, plan.deprecated)}"
        effect = f"\n{_EFFECTS[plan.effect]}" if _EFFECTS[plan.effect] else ""
        yield PromptPart(f"{heading}\nSignature: {plan.signature}{effect}")
        yield from _call(manifest, calling, plan)
        for one in inputs[number - 1]:
            yield _given(one)
        later = _later_uses(number, inputs)
        if later:
            yield PromptPart(f"\nKeep what it gives: {', '.join(later)}.")
    if calling.schema_tool:
        yield PromptPart(
            f"\n\n{calling.schema_tool}(tool) says more about a tool.",
            only=_in(EXPOSURES, "direct"),
        )


def _call(manifest: Manifest, calling: Calling, plan: ToolPlan) -> Iterator[PromptPart]:
    """How the tool is called, in each exposure."""
    runner = runner_of(manifest, plan.effect)
    listed: tuple[Exposure, ...] = EXPOSURES
    if runner:
        listed = ("direct", "hybrid") if plan.name in calling.hot else ("direct",)
        form = " as a JSON string" if manifest.disclosure.arguments == "json" else ""
        text = f"\nRun it with {runner}: its name as tool, and its arguments{form}."
        yield PromptPart(text, only=_in(EXPOSURES, *listed))
    yield PromptPart("\nCall it by its own name.", only=() if listed == EXPOSURES else listed)


def _in(exposures: Sequence[Exposure], *without: Exposure) -> tuple[Exposure, ...]:
    return tuple(exposure for exposure in exposures if exposure not in without)


def _given(one: _Input) -> PromptPart:
    name = one.parameter.name
    if one.argument:
        return PromptPart(f"\nArgument {name}: ", one.argument)
    value = "" if one.value == name else f" ({one.value})"
    return PromptPart(f"\nTake {name}{value} from step {one.step}.")


def _later_uses(number: int, inputs: Sequence[Sequence[_Input]]) -> list[str]:
    """The sentences about the values that later steps take from a step."""
    uses: dict[str, list[int]] = {}
    for later, step_inputs in enumerate(inputs, 1):
        for one in step_inputs:
            if one.step == number and later not in uses.get(one.value, ()):
                uses.setdefault(one.value, []).append(later)
    return [f"{value} for step {' and '.join(map(str, steps))}" for value, steps in uses.items()]


def _merged(parts: Iterable[PromptPart]) -> Iterator[PromptPart]:
    """The pieces, with neighbours merged where possible."""
    for is_plain, group in groupby(parts, lambda part: not part.argument and not part.only):
        if is_plain:
            yield PromptPart("".join(part.text for part in group))
        else:
            yield from group
