"""The stub of each tool, and the types of the manifest's definitions."""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.stub import STUB_IMPORTS, StubType, ToolStub, in_order

from toolfold.plan.names.identifiers import class_name, definition_type
from toolfold.plan.names.stub_names import argument_names, function_name
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.schemas.served import reached_definitions
from toolfold.plan.stubs.annotations import ANY, Annotations
from toolfold.plan.text.escape import docstring, one_line, python_literal

_LONGEST_DEFAULT: Final = 24
_LONGEST_SENTENCE: Final = 120
_SENTENCE: Final = re.compile(r".+?[.!?](?=\s)")


def tool_stub(
    name: str,
    summary: str,
    parameters: Json,
    returns: Json | None,
    definitions: Mapping[str, Json],
) -> ToolStub:
    """The function that a tool is in programs, with the types that only it has."""
    owner, function = class_name(name), function_name(name)
    given = Annotations(owner, parameters, definitions)
    keywords = argument_names(properties_of(parameters))
    arguments = _arguments(parameters, keywords, given)
    result, types, shared = ANY, given.types, dict(given.shared)
    if returns is not None:
        # Parameters and result are documents of their own, with definitions of their own.
        returned = Annotations(f"{owner}_Result", returns, definitions)
        result = returned.of(_root(returns), ())
        types, shared = types | returned.types, shared | returned.shared
    sentence = docstring(_first_sentence(summary))
    text = f"def {function}({arguments}) -> {result}:\n    {sentence}"
    stub = ToolStub(
        function=function,
        tool=name,
        text="\n".join([*types.values(), text]),
        types=_all_types(shared, definitions),
        parameters={keyword: known for known, keyword in keywords.items() if keyword != known},
    )
    _require_python(stub.text)
    return stub


def stub_types(definitions: Mapping[str, Json]) -> list[StubType]:
    """A type for every definition of the manifest, in its order."""
    types = []
    for name, schema in definitions.items():
        type_name = definition_type(name).name
        # A definition refers to others as a document does in which all of them stand.
        document = {"$defs": definitions}
        annotations = Annotations(type_name, document, definitions)
        text = annotations.named_type(type_name, schema)
        text = "\n".join([*annotations.types.values(), text])
        _require_python(text)
        types.append(StubType(type_name, text))
    return types


def stubs_module(header: str, stubs: Sequence[ToolStub], types: Sequence[StubType]) -> str:
    """All stubs as a `.pyi`, for people and editors."""
    parts = [*(stub_type.text for stub_type in in_order(types)), *(stub.text for stub in stubs)]
    text = "\n\n\n".join([f"# {header}\n{STUB_IMPORTS}", *parts]) + "\n"
    _require_python(text)
    return text


def _arguments(parameters: Json, keywords: Mapping[str, str], types: Annotations) -> str:
    """What stands between the parentheses: by keyword only, what is required first."""
    properties, required = properties_of(parameters), required_of(parameters)
    texts = []
    for name in sorted(properties, key=lambda name: name not in required):
        annotation = types.of(properties[name], (name,))
        default = "" if name in required else f" = {_default(properties[name])}"
        texts.append(f"{keywords[name]}: {annotation}{default}")
    return f"*, {', '.join(texts)}" if texts else ""


def _default(schema: object) -> str:
    default = schema.get("default") if isinstance(schema, dict) else None
    if isinstance(default, str | bool | int) and len(str(default)) <= _LONGEST_DEFAULT:
        return python_literal(default)
    return "..."


def _root(returns: Json) -> Json:
    """A result's own schema, without the definitions that stand beside it."""
    return {key: value for key, value in returns.items() if key not in ("$defs", "definitions")}


def _all_types(shared: Mapping[str, None], definitions: Mapping[str, Json]) -> tuple[str, ...]:
    """The shared types that a stub needs, in the manifest's order."""
    reached = set(shared)
    for name in shared:
        reached |= reached_definitions(definitions[name], definitions)
    return tuple(definition_type(name).name for name in definitions if name in reached)


def _first_sentence(text: str) -> str:
    line = one_line(text)
    found = _SENTENCE.match(line)
    sentence = found.group() if found else line
    if len(sentence) <= _LONGEST_SENTENCE:
        return sentence
    return f"{sentence[:_LONGEST_SENTENCE].rsplit(None, 1)[0]}…"


def _require_python(text: str) -> None:
    """Refuse, as a bug of ours, source that is more or less than declarations."""
    allowed = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.ImportFrom)
    tree = ast.parse(text)
    if not all(isinstance(node, allowed) for node in tree.body):
        raise AssertionError("a stub holds more than declarations")
