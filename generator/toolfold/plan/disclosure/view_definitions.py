"""The definitions of a tool's schemas, kept apart: an answer shows each of them once."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ViewDefinition
from toolfold_runtime.pointers import reference_steps

from toolfold.plan.schemas.keywords import DEFINITION_KEYWORDS, walk
from toolfold.plan.text.escape import json_text

#: The keyword that a definition stands under, and its name.
_Key: TypeAlias = tuple[str, str]

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_ANYWHERE: Final[_Key] = ("", "")  # where a reference by anchor leads
_DIGEST: Final = 16  # characters: no more than the definitions of 200 tools meet in one answer


class ViewSchemas(NamedTuple):
    """The schemas of a tool as its views show them, and the definitions beside them."""

    parameters: Json
    #: The schema of the result, or its type in a few words.
    returns: Json | str | None
    definitions: tuple[ViewDefinition, ...]


def view_schemas(parameters: Json, returns: Json | None) -> ViewSchemas:
    """Both schemas without definitions, and the definitions that they need, each once.

    Where the two give one name to different definitions, the result keeps its own.
    """
    of_parameters, of_result = _definitions(parameters), _definitions(returns or {})
    if any(
        json_text(of_parameters[key]) != json_text(of_result[key])
        for key in of_parameters.keys() & of_result.keys()
    ):
        of_result = {}
    shown = (
        _without(parameters, of_parameters),
        _without(returns, of_result) if returns is not None else None,
    )
    return ViewSchemas(*shown, tuple(_needed(of_parameters | of_result, shown)))


def _definitions(schema: Json) -> dict[_Key, object]:
    return {
        (keyword, name): definition
        for keyword in DEFINITION_KEYWORDS
        if isinstance(schema.get(keyword), dict)
        for name, definition in schema[keyword].items()
    }


def _without(schema: Json, definitions: Mapping[_Key, object]) -> Json:
    keywords = {keyword for keyword, _ in definitions}
    return {key: value for key, value in schema.items() if key not in keywords}


def _needed(
    definitions: Mapping[_Key, object], roots: tuple[Json, Json | None]
) -> Iterator[ViewDefinition]:
    """The definitions that the schemas refer to, grouped by keyword, as views show them."""
    texts = {key: json_text(schema) for key, schema in definitions.items()}
    targets = {key: set(_targets(schema)) for key, schema in definitions.items()}
    needed = _reached({target for root in roots for target in _targets(root)}, targets)
    for key in sorted(definitions, key=lambda definition: DEFINITION_KEYWORDS.index(definition[0])):
        if key in needed or _ANYWHERE in needed:
            reached = _reached({key}, targets)
            closure = [[name, texts[name]] for name in sorted(reached & texts.keys())]
            # The meaning of a reference to anything but a definition depends on the whole document.
            document = "" if reached <= texts.keys() else json_text([*roots, *texts.values()])
            digest = sha256(json_text([closure, document]).encode()).hexdigest()
            yield ViewDefinition(key[1], texts[key], digest[:_DIGEST], key[0])


def _targets(schema: object) -> Iterator[_Key]:
    """The definitions that a schema refers to; a reference to anything else counts as `_ANYWHERE`."""
    for _, inner in walk(schema):
        for keyword in _REFERENCES:
            if isinstance(inner, dict) and keyword in inner:
                steps = reference_steps(inner[keyword])
                first, second, *_ = _ANYWHERE if steps is None else (*steps, "#", "#")
                yield first, second


def _reached(start: Iterable[_Key], targets: Mapping[_Key, set[_Key]]) -> set[_Key]:
    """Some definitions and all that they refer to, directly or by others."""
    reached = set(start)
    waiting = list(reached)
    while waiting:
        new = targets.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    return reached
