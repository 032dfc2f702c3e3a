"""The last gate: models that hold anything but types, constants and their own classes are refused."""

import ast

import pytest
from toolfold.emit.models.audit import audit_module, audited_names


def audit(source: str) -> set[str]:
    return audited_names(ast.parse(source, mode="eval").body)


def test_a_plain_annotation_is_accepted_with_the_names_it_uses() -> None:
    used = audit("Annotated[list[Reference0 | Alias1 | dt.date] | None, Field(alias='d', ge=-3)]")

    assert used == {"Annotated", "Reference0", "Alias1", "Field", "dt"}


@pytest.mark.parametrize("source", ["None", "Literal['a']", "Literal['a', -1, None, True]"])
def test_constants_are_accepted_where_they_are_values(source: str) -> None:
    assert audit(source) <= {"Literal"}


@pytest.mark.parametrize("source", ["1", "'text'", "list['x']", "Annotated['x', Field()]"])
def test_text_that_would_be_read_as_an_annotation_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="unexpected expression in models"):
        audit(source)


@pytest.mark.parametrize(
    "source",
    [
        "__import__('os').system('x')",
        "os.system",
        "system",
        "Referenceless",
        "Reference0x",
        "Other",
        "print()",
        "Field(default_factory=list)",
        "Field('positional')",
        "Field(**{'description': 'd'})",
        "Field(description=print())",
        "Field(description=f'{x}')",
        "Annotated[str, print()]",
        "Literal[x]",
        "[a for a in 'b']",
        "lambda: 1",
        "-x",
        "not 1",
        "1 if 2 else 3",
        "str & int",
        "{'a': 1}",
        "(x := 1)",
        "f'{1}'",
        "list[str]()",
        "await_.x",
        "dt.datetime",
        "Alias1x",
    ],
)
def test_anything_else_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="unexpected expression in models"):
        audit(source)


MODULE = """
from __future__ import annotations

import datetime as dt
from typing import Annotated, TypeAlias

from pydantic import ConfigDict, Field
from toolfold_runtime.models import Model, TypeAliasType

from .definitions.node import Node


class A(Model):
    'A docstring.'

    model_config = ConfigDict(extra="forbid")
    node: Annotated[Node | None, Field(description="d")] = None
    day: dt.date = dt.date(2020, 1, 2)
    other: Node = Node.model_validate({"x": [1, -2]})


Days: TypeAlias = list[dt.date]
Tree = TypeAliasType("Tree", "str | list[Tree]")
A.model_rebuild()
"""


def refusal(source: str) -> str:
    """Why a module is refused; empty where it is not."""
    try:
        audit_module(source)
    except ValueError as error:
        return str(error)
    return ""


def test_a_module_of_models_is_accepted() -> None:
    assert refusal(MODULE) == ""


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "from uuid import os as Any",
        "from . import secrets",
        "from uuid import os",
        "from pydantic import *",
        "from .server import main as Model",
        "from .definitions.node import str",
        "from typing import UUID",
        "x.y: TypeAlias = str",
        "(print()).x: TypeAlias = str",
        "class B(Model):\n    x: int = Field(default_factory=lambda q=print(): 1)",
        "class B(Model):\n    x: int = os.model_validate(1)",
        "class B(Model):\n    x: int = UUID.model_validate(1)",
        "class B(Model):\n    x: Annotated['print()', 1]",
        "B = TypeAliasType('B', \"list['print()']\")",
        "import datetime",
        "from os import system",
        "from ..secrets import key",
        "print('x')",
        "class B(Model, metaclass=M): pass",
        "class B(Other): x: int",
        "@decorated\nclass B(Model): x: int",
        "class B(Model):\n    def __init__(self): pass",
        "class B(Model):\n    x: int = print()",
        "class B(Model):\n    x: int = Field(default_factory=print)",
        "class B(Model):\n    x: int = Field(default_factory=lambda: print())",
        "class B(Model):\n    x: int = A.model_validate(print())",
        "class B(Model):\n    x: unknown",
        "class B(Model):\n    x: print(1)",
        "class B(Model):\n    x = 1",
        "class B(Model):\n    model_config = ConfigDict(extra='allow', x=print())",
        "B: TypeAlias = print()",
        "B: TypeAlias = os",
        "B = TypeAliasType('B', 'print()')",
        "B = TypeAliasType('C', 'str')",
        "B = 1",
        "__all__ = [print()]",
        "os.model_rebuild()",
        "A.model_rebuild(print())",
        "A.other()",
        "if 1: pass",
    ],
)
def test_a_module_with_anything_else_is_refused(line: str) -> None:
    assert refusal(f"{MODULE}{line}\n").startswith("unexpected ")
