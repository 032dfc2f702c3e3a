"""Stubs: names that keep apart, types that say what the schema says, and text that stays text."""

import ast
import keyword
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolfold.plan.names.stub_names import argument_names, function_name
from toolfold.plan.stubs.build import stub_types, tool_stub
from toolfold_runtime.contract.stub import STUB_IMPORTS, in_order

from tests.security.material import NASTY

#: All that declarations need.
_DECLARATIONS: Final = (
    ast.Module,
    ast.FunctionDef,
    ast.ClassDef,
    ast.AnnAssign,
    ast.Assign,
    ast.Call,
    ast.Dict,
    ast.keyword,
    ast.arguments,
    ast.arg,
    ast.Expr,
    ast.Constant,
    ast.Name,
    ast.Subscript,
    ast.Tuple,
    ast.BinOp,
    ast.BitOr,
    ast.UnaryOp,
    ast.USub,
    ast.Load,
    ast.Store,
)

texts: Final = st.one_of(st.sampled_from(NASTY), st.text(max_size=20))
leaves: Final[st.SearchStrategy[Any]] = st.one_of(
    st.sampled_from(["string", "integer", "number", "boolean", "null", "array"]).map(
        lambda kind: {"type": kind}
    ),
    st.lists(st.one_of(texts, st.integers(), st.none(), st.booleans()), max_size=4).map(
        lambda values: {"enum": values}
    ),
    texts.map(lambda text: {"const": text}),
    texts.map(lambda text: {"type": "string", "default": text}),
    texts.map(lambda text: {"$ref": f"#/$defs/{text}"}),
    st.booleans(),
)
schemas: Final = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(lambda item: {"type": "array", "items": item}),
        st.dictionaries(texts, inner, max_size=3).map(
            lambda properties: {
                "type": "object",
                "properties": properties,
                "required": [*properties][:1],
            }
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda options: {"anyOf": options}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"allOf": parts}),
    ),
    max_leaves=8,
)


def stub(parameters: Any, returns: Any = None, summary: str = "One", name: str = "one") -> str:
    return tool_stub(name, summary, {"type": "object", "properties": parameters}, returns, {}).text


@given(st.dictionaries(texts, schemas, max_size=4), schemas, texts)
def test_no_text_of_a_schema_becomes_code(parameters: Any, returns: Any, summary: str) -> None:
    definitions = {"$defs": {text: {"type": "object", "properties": {text: {}}} for text in NASTY}}
    result = {"type": "array", "items": returns} | definitions
    text = stub(parameters, result, summary)

    tree = ast.parse(text)
    for node in ast.walk(tree):
        assert isinstance(node, _DECLARATIONS), ast.dump(node)
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            assert node.func.id == "TypedDict"
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    assert len(function.args.kwonlyargs) == len(parameters)


@given(st.lists(texts, unique=True, max_size=8))
def test_no_two_arguments_have_the_same_keyword(names: list[str]) -> None:
    keywords = argument_names(names)

    assert [*keywords] == sorted(names, key=[*keywords].index)
    assert len(set(keywords.values())) == len(names)
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in keywords.values())


@pytest.mark.parametrize(
    ("tool", "function"),
    [
        ("find_orders", "find_orders"),
        ("create-issue", "create_issue"),
        ("createIssue", "createIssue"),
        ("list", "list_"),
        ("import", "import_"),
        ("print", "print_"),
        ("Any", "Any_"),
        ("2fa", "tool_2fa"),
        ("_private", "private"),
        ("__", "tool"),
    ],
)
def test_a_tool_has_a_name_that_python_takes_for_nothing_else(tool: str, function: str) -> None:
    assert function_name(tool) == function


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        ({"type": "string", "format": "date"}, "str"),
        ({"type": "integer"}, "int"),
        ({"type": "number"}, "float"),
        ({"type": ["string", "null"]}, "str | None"),
        ({"type": "string", "nullable": True}, "str | None"),
        ({"enum": ["a", 1, None]}, "Literal['a', 1] | None"),
        ({"enum": [1.5, "a"]}, "float | str"),
        ({"enum": [str(n) for n in range(41)]}, "str"),
        ({"const": True}, "Literal[True]"),
        ({"type": "array"}, "list[Any]"),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "list[list[int]]",
        ),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "list[Any]"),
        ({"type": "object"}, "dict[str, Any]"),
        ({"additionalProperties": {"type": "integer"}, "type": "object"}, "dict[str, int]"),
        (
            {"type": "object", "properties": {"a": {}}, "additionalProperties": True},
            "dict[str, Any]",
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            "str | int | None",
        ),
        ({"oneOf": [{"type": "string"}, {}]}, "Any"),
        ({"allOf": [{"type": "string"}]}, "str"),
        ({"allOf": [{"minLength": 3}, {"type": "string"}]}, "str"),
        ({"$ref": "#/nowhere"}, "Any"),
        ({"$ref": "https://elsewhere.example/x"}, "Any"),
        ({}, "Any"),
        (True, "Any"),
    ],
)
def test_a_schema_is_the_annotation_that_says_the_same(schema: Any, annotation: str) -> None:
    assert f"(*, a: {annotation} = ...)" in stub({"a": schema}) or (
        f"(*, a: {annotation} = " in stub({"a": schema})
    )


def test_parts_of_all_of_make_one_type() -> None:
    schema = {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {"type": "integer"}}},
        ]
    }
    assert stub({"x": schema}).startswith(
        "class One_x(TypedDict):\n    a: str\n    b: NotRequired[int]\ndef one("
    )


def test_types_that_refer_to_each_other_end() -> None:
    definitions: Any = {
        "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}},
        "B": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/A"}}, {"type": "null"}]},
        "C": {"$ref": "#/$defs/C"},
    }
    source = "\n".join([STUB_IMPORTS, *(stub_type.text for stub_type in stub_types(definitions))])

    assert "class A(TypedDict, total=False):\n    b: B" in source
    assert "B = list[A] | None" in source
    assert "C = Any" in source


def test_types_stand_after_those_that_they_name() -> None:
    # A checker knows nothing of an alias whose type comes later.
    definitions: Any = {
        "Trees": {"type": "array", "items": {"$ref": "#/$defs/Forest"}},
        "Forest": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        "Tree": {"type": "object", "properties": {"in": {"$ref": "#/$defs/Leaf"}}},
        "Leaf": {"type": "object", "properties": {"of": {"$ref": "#/$defs/Forest"}}},
    }
    ordered = [stub_type.name for stub_type in in_order(stub_types(definitions))]
    inner = {"type": "object", "properties": {"in": {"type": "object", "properties": {"b": {}}}}}

    assert ordered == ["Leaf", "Tree", "Forest", "Trees"]
    assert stub({"a": inner}).index("class One_a_in(") < stub({"a": inner}).index("One_a = Typed")


def test_long_summaries_are_one_sentence() -> None:
    assert '"""Find it."""' in stub({}, summary="Find it. Then do more. And more.")
    assert len(stub({}, summary="word " * 400)) < 250


def test_tools_of_one_program_never_share_a_type() -> None:
    nested = {"item": {"type": "object", "properties": {"b": {}}}}
    both = [
        stub({"order": {"type": "object", "properties": nested}}, name="create"),
        stub(nested, name="create_order"),
    ]
    names = [
        {node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
        for text in both
    ]
    assert not names[0] & names[1]
