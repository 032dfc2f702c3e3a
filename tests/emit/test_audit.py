"""The last gate: a form that holds anything but types and constants is refused."""

import ast

import pytest
from toolfold.emit.models.audit import audited_names


def audit(source: str) -> set[str]:
    return audited_names(ast.parse(source, mode="eval").body)


def test_a_plain_annotation_is_accepted_with_the_names_it_uses() -> None:
    used = audit("Annotated[list[Reference0 | None] | MISSING, Field(description='d', ge=-3)]")

    assert used == {"Annotated", "Reference0", "MISSING", "Field"}


@pytest.mark.parametrize("source", ["1", "-1.5", "'text'", "None", "['a', 'b']", "Literal['a']"])
def test_constants_are_accepted(source: str) -> None:
    assert audit(source) <= {"Literal"}


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
    ],
)
def test_anything_else_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="unexpected expression in models"):
        audit(source)
