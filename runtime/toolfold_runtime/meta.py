"""Calling a meta-tool: known parameters validated, unknown ones answered with a warning."""

from collections.abc import Callable

from toolfold_runtime.catalog import Json
from toolfold_runtime.errors import ToolError
from toolfold_runtime.validation import validator_for


def answer_meta(
    handler: Callable[..., str], definition: Json, arguments: Json, unknown: str
) -> list[str]:
    """The handler's text, and a warning for parameters that it does not have."""
    schema = definition["inputSchema"]
    known = {key: value for key, value in arguments.items() if key in schema["properties"]}
    extra = [key for key in arguments if key not in known]
    errors = list(validator_for(schema).iter_errors(known))
    if errors or (extra and unknown == "reject"):
        problems = [error.message for error in errors] + [f'no parameter "{key}"' for key in extra]
        names = ", ".join(schema["properties"]) or "none"
        text = f"{definition['name']}: {'; '.join(problems)}. Parameters: {names}."
        raise ToolError("invalid_arguments", text)
    text = handler(**known)
    if not extra:
        return [text]
    return [text, f"warning: ignored unknown parameters: {', '.join(extra)}"]
