"""Mistakes planted at random into programs over real tools, whose texts nothing was written for."""

import ast
import random
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from tests.code.test_mistakes import Planted

_SEED: Final = 20261119
_EACH: Final = 10
_VALUES: Final = {"str": "'x'", "int": "1", "float": "1.5", "bool": "True", "Any": "'x'"}
_WRONG: Final = {"str": "['x']", "int": "'ten'", "float": "'1.5'", "bool": "'yes'"}
#: The first value of a literal type.
_LITERAL: Final = re.compile(r"Literal\[('(?:[^'\\]|\\.)*'|[^,\]]+)")


class _Tool(NamedTuple):
    name: str
    #: Annotations of all parameters, and which must be given.
    parameters: dict[str, str]
    required: list[str]
    returns: str


def planted(stubs: str) -> list[Planted]:
    """Fifty programs: ten each with a wrong name, argument, key or type, or something missing."""
    tree = ast.parse(stubs)
    tools = [
        _tool(definition) for definition in tree.body if isinstance(definition, ast.FunctionDef)
    ]
    types = {
        definition.name: _keys(definition)
        for definition in tree.body
        if isinstance(definition, ast.ClassDef)
    }
    chance = random.Random(_SEED)
    plants: tuple[Callable[[_Tool, random.Random], Planted | None], ...] = (
        lambda tool, chance: _name(tool, {tool.name for tool in tools}, chance),
        _argument,
        _missing,
        _type,
        lambda tool, chance: _key(tool, types, chance),
    )
    return [fault for plant in plants for fault in _ten(plant, tools, chance)]


def _ten(
    plant: Callable[[_Tool, random.Random], Planted | None],
    tools: list[_Tool],
    chance: random.Random,
) -> Iterator[Planted]:
    planted_so_far = 0
    while planted_so_far < _EACH:
        program = plant(chance.choice(tools), chance)
        if program is not None:
            planted_so_far += 1
            yield program


def _name(tool: _Tool, known: set[str], chance: random.Random) -> Planted | None:
    name = _misspelt(tool.name, chance)
    return None if name in known else Planted(_call(name, _given(tool)), 2, tool.name)


def _argument(tool: _Tool, chance: random.Random) -> Planted | None:
    if not tool.parameters:
        return None
    right = chance.choice([*tool.parameters])
    wrong = _misspelt(right, chance)
    if wrong in tool.parameters:
        return None
    given = _given(tool)
    given.pop(right, None)
    return Planted(_call(tool.name, given | {wrong: _value(tool.parameters[right])}), 2, right)


def _missing(tool: _Tool, chance: random.Random) -> Planted | None:
    if not tool.required:
        return None
    left_out = chance.choice(tool.required)
    given = {name: value for name, value in _given(tool).items() if name != left_out}
    return Planted(_call(tool.name, given), 2, left_out)


def _type(tool: _Tool, chance: random.Random) -> Planted | None:
    typed = {
        name: _WRONG.get(type_, "7")
        for name, type_ in tool.parameters.items()
        if type_ in _WRONG or type_.startswith(("list[str", "Literal['"))
    }
    if not typed:
        return None
    name = chance.choice([*typed])
    return Planted(_call(tool.name, _given(tool) | {name: typed[name]}), 2, "expected")


def _key(tool: _Tool, types: dict[str, list[str]], chance: random.Random) -> Planted | None:
    keys = types.get(tool.returns)
    if not keys:
        return None
    right = chance.choice(keys)
    wrong = _misspelt(right, chance)
    if wrong in keys:
        return None
    return Planted(f"{_call(tool.name, _given(tool))}\nprint(found[{wrong!r}])", 3, right)


def _misspelt(word: str, chance: random.Random) -> str:
    """A word in another case, or with a letter dropped or doubled: still one that Python takes."""
    at = chance.randrange(1, max(2, len(word) - 1))
    snake = re.sub(r"(?<=.)([A-Z])", lambda match: f"_{match[1].lower()}", word)
    camel = re.sub(r"_([a-z])", lambda match: match[1].upper(), word)
    return chance.choice([word[:at] + word[at + 1 :], word[:at] + word[at - 1 :], snake, camel])


def _tool(function: ast.FunctionDef) -> _Tool:
    given = [*zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)]
    parameters = {arg.arg: ast.unparse(arg.annotation or ast.Constant("")) for arg, _ in given}
    required = [arg.arg for arg, default in given if default is None]
    return _Tool(
        function.name, parameters, required, ast.unparse(function.returns or ast.Constant(""))
    )


def _keys(class_: ast.ClassDef) -> list[str]:
    fields = (item.target for item in class_.body if isinstance(item, ast.AnnAssign))
    return [field.id for field in fields if isinstance(field, ast.Name)]


def _given(tool: _Tool) -> dict[str, str]:
    return {name: _value(tool.parameters[name]) for name in tool.required}


def _value(annotation: str) -> str:
    literal = _LITERAL.match(annotation)
    if literal:
        return literal[1]
    return _VALUES.get(annotation, "[]" if annotation.startswith("list") else "{}")


def _call(name: str, given: dict[str, str]) -> str:
    arguments = ", ".join(f"{key}={value}" for key, value in given.items())
    return f"# what is asked for\nfound = {name}({arguments})"
