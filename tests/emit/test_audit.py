"""The last gate: generated models that hold anything but models are refused."""

import ast

import pytest
from toolfold.emit.audit import audited_names
from toolfold.plan.modelled import Modelled

MODELS = Modelled(
    classes={"TParams": {}, "TParamsInner": {}},
    fields={"TParams": {"a": "a", "b-c": "b_c"}, "TParamsInner": {}},
)


def audit(source: str) -> set[str]:
    (statement,) = ast.parse(source).body
    return audited_names(statement, MODELS)


def audit_class(*lines: str) -> set[str]:
    return audit("class TParams(Model):\n" + "".join(f"    {line}\n" for line in lines))


def test_a_plain_model_is_accepted_with_the_names_it_uses() -> None:
    used = audit_class(
        '"""Text."""',
        "model_config = ConfigDict(extra='forbid')",
        "a: Annotated[str | MISSING, Field(description='d', max_length=3)] = MISSING",
        "b_c: Annotated[list[TParamsInner | None], Field(alias='b-c')]",
    )

    assert used == {"Model", "ConfigDict", "Annotated", "MISSING", "Field", "TParamsInner"}


def test_an_alias_and_a_rebuild_are_accepted() -> None:
    assert audit("TResult: TypeAlias = list[Literal['a', 'b']]") == {"TypeAlias", "Literal"}
    assert audit("TParams.model_rebuild()") == set()


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "from os import system",
        "x = 1",
        "print()",
        "__import__('os').system('x')",
        "TParams.model_rebuild(force=True)",
        "TParams.model_rebuild(__import__('os'))",
        "os.model_rebuild().x()",
        "def f(): pass",
        "async def f(): pass",
        "if True: pass",
        "class TParams: pass",
        "class TParams(BaseModel): pass",
        "class TParams(Model, metaclass=M): pass",
        "class TParams(Model, Other): pass",
        "@decorator\nclass TParams(Model): pass",
        "class TParams(print()): pass",
        "TResult: TypeAlias = __import__('os')",
        "TResult: TypeAlias = list[print()]",
        "TResult: TypeAlias = 'str'.join",
        "TResult: TypeAlias = lambda: 0",
        "TResult: TypeAlias = eval",
        "TResult: str = str",
        "x.y: TypeAlias = str",
        "del x",
        "assert print()",
        "with x: pass",
        "try:\n    pass\nfinally:\n    pass",
        "global x",
        "raise SystemExit",
        "...",
        "match x:\n    case _: pass",
    ],
)
def test_any_other_statement_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="unexpected"):
        audit(source)


@pytest.mark.parametrize(
    "part",
    [
        "x = 1",
        "print()",
        "def a(self): pass",
        "class Inner: pass",
        "import os",
        "f'{print()}'",
        "b'bytes'",
        "model_config = dict(extra='forbid')",
        "model_config = {'extra': 'forbid'}",
        "model_config = ConfigDict(extra=print())",
        "model_config = ConfigDict(**x)",
        "model_config = ConfigDict(arbitrary_types_allowed=True)",
        "a: print() = 1",
        "a: str = print()",
        "a: str = f'{x}'",
        "a: str = 'x'.upper()",
        "a: str = __name__",
        "a: str = (lambda: 0)()",
        "a: str = [x for x in y]",
        "a: str = {'k': 'v'}",
        "a: str = x if y else z",
        "a: str = -x",
        "a: str = (y := 1)",
        "a: str = not 1",
        "a: str = 'a' + 'b'",
        "a: str = 1 | print()",
        "a: str = Field(default_factory=print)",
        "a: str = Field('x')",
        "a: str = Field(*x)",
        "a: str = Field(**x)",
        "a: str = Field(description=print())",
        "a: str = os.Field(description='x')",
        "a: Annotated[str, BeforeValidator(eval)]",
        "a: Annotated[str, Field(pattern='x')]",
        "a: Other",
        "a: os.PathLike",
        "a: 'str' | eval",
        "a: list[*x]",
        "a: list[print()]",
        "self.a: str = 'x'",
        "a[0]: str = 'x'",
        "pass; import os",
    ],
)
def test_any_other_part_of_a_class_is_refused(part: str) -> None:
    with pytest.raises(ValueError, match="unexpected"):
        audit_class(part)


@pytest.mark.parametrize(
    "fields",
    [
        ["a: str"],
        ["a: str", "b_c: str", "c: str"],
        ["a: str", "a: str"],
        ["a: str", "other: str"],
        ["pass"],
    ],
)
def test_fields_that_were_not_planned_are_refused(fields: list[str]) -> None:
    with pytest.raises(ValueError, match="TParams has fields"):
        audit_class(*fields)
