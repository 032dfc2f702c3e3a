"""Signatures in the author's class: wrong ones are reported with the right one, right ones are not."""

import pytest

from tests.classes.material import IMPORTS, RIGHT, Shop
from tests.support.commands import must, toolfold

_RIGHT = "write `def find(self, params: FindParams) -> FindResult:`"
_LINE = 8  # of `find` in the class


@pytest.mark.parametrize(
    ("find", "fact"),
    [
        ("def find(self): ...", "takes no parameter, and the server passes one"),
        ("def find(): ...", 'takes no "self"'),
        ("def find(params: FindParams) -> FindResult: ...", 'takes no "self"'),
        ("def find(self, query, limit): ...", 'needs 2 parameters ("query", "limit"); the server passes one, with all arguments'),
        ("def find(self, query: str, limit: int = 5) -> FindResult: ...", 'its parameter is annotated "str"; the server passes FindParams'),
        ("def find(self, *, params): ...", "takes no parameter, and the server passes one"),
        ("def find(self, **arguments): ...", "takes no parameter, and the server passes one"),
        ("def find(self, params, *, limit): ...", 'needs "limit" by name; the server passes one parameter and no names'),
        ("def find(self, params: DropParams): ...", 'its parameter is annotated "DropParams"; the server passes FindParams'),
        ("def find(self, params: FindResult): ...", 'its parameter is annotated "FindResult"; the server passes FindParams'),
        ("def find(self, params: 'DropParams'): ...", 'its parameter is annotated "DropParams"; the server passes FindParams'),
        ("def find(self, params: dict[str, object]): ...", 'its parameter is annotated "dict[str, object]"; the server passes FindParams'),
        ("def find(self, params: FindParams) -> DropResult: ...", 'is annotated to return "DropResult"; the tool returns FindResult'),
        ("def find(self, params: FindParams) -> FindParams: ...", 'is annotated to return "FindParams"; the tool returns FindResult'),
        ("def find(self, params: FindParams) -> Awaitable[DropResult]: ...", 'is annotated to return "DropResult"; the tool returns FindResult'),
        ("def find(self, params: FindParams) -> list[FindResult]: ...", 'is annotated to return "list[FindResult]"; the tool returns FindResult'),
        ("def find(self, params: FindParams) -> None: ...", 'is annotated to return "None"; the tool returns FindResult'),
    ],
)  # fmt: skip
def test_a_wrong_signature_is_reported_with_the_right_one(shop: Shop, find: str, fact: str) -> None:
    shop.write_class(find, "from collections.abc import Awaitable")

    (problem,) = shop.problems()

    assert (problem["file"], problem["line"]) == ("implementation.py", _LINE)
    assert (problem["path"], problem["fact"]) == ("Tools.find", fact)
    assert problem["hint"] == _RIGHT


@pytest.mark.parametrize(
    ("find", "fact", "hint"),
    [
        ("@staticmethod\n    def find(self, params): ...", 'needs 2 parameters ("self", "params"); the server passes one, with all arguments', "write `def find(params: FindParams) -> FindResult:`"),
        ("@classmethod\n    def find(cls): ...", "takes no parameter, and the server passes one", "write `def find(cls, params: FindParams) -> FindResult:`"),
        ("@property\n    def find(self) -> FindResult: ...", "is a property, and the server calls a method", _RIGHT),
        ("@property\n    def find(self, params): ...", "is a property, and the server calls a method", _RIGHT),
        ("async def find(self): ...", "takes no parameter, and the server passes one", "write `async def find(self, params: FindParams) -> FindResult:`"),
        ("def find(self, params):\n        yield 1", "is a generator; a tool answers once", "collect what it yields in a list, and return that"),
        ("async def find(self, params):\n        if params:\n            yield 1", "is an async generator; a tool answers once", "collect what it yields in a list, and return that"),
    ],
)  # fmt: skip
def test_the_way_out_is_of_the_same_kind_as_the_method(
    shop: Shop, find: str, fact: str, hint: str
) -> None:
    shop.write_class(find)

    assert [(p["fact"], p["hint"]) for p in shop.problems()] == [(fact, hint)]


def test_the_way_out_names_the_imports_that_are_missing(shop: Shop) -> None:
    others = "\n".join(f"    {text}" for name, text in RIGHT.items() if name != "find")
    imports = IMPORTS.replace("import FindParams, FindResult", "import FindParams")
    shop.write(f"{imports}\nclass Tools:\n    def find(self): ...\n{others}\n")

    (problem,) = shop.problems()

    assert problem["hint"] == f"{_RIGHT} (`from shop_mcp.models.find import FindResult`)"


def test_a_list_is_not_the_parameters_of_another_tool(shop: Shop) -> None:
    shop.write_class(RIGHT["find"])
    text = (shop.folder / "implementation.py").read_text(encoding="utf-8")
    shop.write(text.replace("-> NamesResult", "-> FindParams"))

    (problem,) = shop.problems()

    assert problem["fact"] == 'is annotated to return "FindParams"; the tool returns NamesResult'


@pytest.mark.parametrize("result", ["list[str]", "list", "tuple[str, ...]", "'list[FindResult]'"])
def test_what_an_alias_stands_for_may_be_written_out(shop: Shop, result: str) -> None:
    shop.write_class(RIGHT["find"])
    text = (shop.folder / "implementation.py").read_text(encoding="utf-8")
    shop.write(text.replace("-> NamesResult", f"-> {result}"))

    assert shop.problems() == []


@pytest.mark.parametrize(
    "find",
    [
        "def find(self, params): ...",
        "async def find(self, params: FindParams) -> FindResult: ...",
        "def find(self, anything: FindParams): ...",
        "def find(self, params, verbose=False): ...",
        "def find(self, params: FindParams, /, *more: int, deep: bool = True, **rest: int): ...",
        "def find(self, *arguments, **named): ...",
        "def find(*arguments): ...",
        "@staticmethod\n    def find(params: FindParams) -> FindResult: ...",
        "@classmethod\n    def find(cls, params: FindParams) -> FindResult: ...",
        "@typing.override\n    def find(self, params: FindParams) -> FindResult: ...",
        "@property\n    def find(self) -> typing.Callable[[FindParams], FindResult]: ...",
        "@wrapped(3)\n    def find(self): yield 1",
        "def find(self): ...\n    find = make(find)",
        "if typing.TYPE_CHECKING:\n        def find(self): ...\n    else:\n        find = 1",
        "@typing.overload\n    def find(self): ...\n    @typing.overload\n    def find(self, a, b): ...\n    def find(self, params): ...",
        "def find(self, params: 'FindParams') -> 'FindResult': ...",
        "def find(self, params: models.FindParams) -> models.FindResult: ...",
        "def find(self, params: shop_mcp.models.find.FindParams) -> F: ...",
        "def find(self, params: Alias) -> Alias: ...",
        "def find(self, params: FindParams | None) -> FindResult | DropResult: ...",
        "def find(self, params: typing.Optional[DropParams]) -> typing.Annotated[DropResult, 1]: ...",
        "def find(self, params: object) -> typing.Any: ...",
        "def find(self, params: BaseModel) -> dict[str, int]: ...",
        "def find(self, params: FindParams) -> typing.Awaitable[FindResult]: ...",
        "def find(self, params: FindParams) -> typing.Coroutine[None, None, FindResult]: ...",
        "def find(self, params: FindParams) -> 'MaybeAwaitable[FindResult]': ...",
        "def find(self, params: FindParams) -> int | None: ...",
        "def find(self, params: str_) -> str_: ...",
        "def find(self, params: 'not an [expression') -> 3: ...",
        "def find(self, params):\n        def inner():\n            yield 1\n        return list(inner())",
        "def find(self, params):\n        return [(yield_) for yield_ in params]",
    ],
)
def test_a_right_or_doubtful_signature_is_not_reported(shop: Shop, find: str) -> None:
    start = (
        "import typing\nimport shop_mcp.models.find\nfrom shop_mcp.models import find as models\n"
        "from shop_mcp.models.find import FindResult as F\nfrom pydantic import BaseModel\n"
        "from toolfold_runtime import MaybeAwaitable\nfrom elsewhere import make, wrapped\n"
        "Alias = FindParams\nstr_ = FindParams\n"
    )
    shop.write_class(find, start)

    assert shop.problems() == []


def test_methods_of_bases_beside_the_manifest_are_looked_at_in_their_file(shop: Shop) -> None:
    methods = "\n".join(f"    {text}" for text in {**RIGHT, "find": "def find(self): ..."}.values())
    shop.write("from base import Base\nclass Tools(Base): ...\n")
    shop.write(f"{IMPORTS}\nclass Base:\n{methods}\n", "base.py")

    (problem,) = shop.problems()

    assert (problem["file"], problem["line"], problem["column"]) == ("base.py", 7, 5)


@pytest.mark.parametrize(
    ("bases", "decorator"),
    [("One, Two", ""), ("One, elsewhere.Other", ""), ("One", "@elsewhere.decorated\n")],
    ids=["two bases", "unknown base", "decorated"],
)
def test_what_may_be_another_method_is_not_judged(shop: Shop, bases: str, decorator: str) -> None:
    wrong = "\n".join(f"    def {name}(self): ..." for name in RIGHT)
    right = "\n".join(f"    def {name}(self, params): ..." for name in RIGHT)
    shop.write(
        f"import elsewhere\nclass One:\n{wrong}\nclass Two:\n{right}\n"
        f"{decorator}class Tools({bases}): ...\n"
    )

    assert shop.problems() == []


def test_public_methods_that_no_tool_has_are_nobodys_business(shop: Shop) -> None:
    more = (
        "    def start(self): ...\n    def helper(self, a, b): yield a\n    def finds(self): ...\n"
    )
    shop.write_class(RIGHT["find"], more=more)

    assert shop.problems() == []


def test_columns_are_counted_in_characters(shop: Shop) -> None:
    shop.write_class('def find(self, params: FindParams = "äöü🎉" or 1) -> DropResult: ...')
    shop_line = '    def find(self, params: FindParams = "äöü🎉" or 1) -> '

    (problem,) = shop.problems()

    assert problem["column"] == len(shop_line) + 1


def test_generate_warns_and_the_hook_refuses_the_commit(shop: Shop) -> None:
    shop.write_class("def find(self): ...")

    warned = toolfold(shop.folder, "generate", "-q")

    assert (warned.code, warned.out) == (0, "")
    assert "implementation.py:8:5: Tools.find: warning: takes no parameter" in warned.err
    assert _RIGHT in warned.err

    must(shop.folder, "git", "init", "-q")
    must(shop.folder, "git", "add", "-A")
    refused = toolfold(shop.folder, "generate", "-q", "--for-commit")

    assert refused.code == 1
    assert "implementation.py:8:5: Tools.find: takes no parameter" in refused.err


def test_a_parameter_of_the_tool_itself_is_not_what_is_passed(shop: Shop) -> None:
    shop.write_class("def find(self, id: UUID) -> FindResult: ...", "from uuid import UUID")

    (problem,) = shop.problems()

    assert 'its parameter is annotated "UUID"; the server passes FindParams' in problem["fact"]


def test_bases_that_have_bases_in_common_are_read_once(shop: Shop) -> None:
    levels = [
        f"class L{n}(L{n - 1}, R{n - 1}): ...\nclass R{n}(L{n - 1}): ..." for n in range(1, 40)
    ]
    tower = "\n".join(["class L0: ...", "class R0: ...", *levels])
    shop.write_class("def find(self, params: FindParams) -> FindResult: ...", tower)
    text = (shop.folder / "implementation.py").read_text(encoding="utf-8")
    shop.write(text.replace("class Tools:", "class Tools(L39):"))

    assert shop.problems() == []


@pytest.mark.parametrize("encoding", ["rot13", "hex", "undefined"])
def test_an_encoding_that_is_none_of_text_is_reported_with_its_place(
    shop: Shop, encoding: str
) -> None:
    shop.write(f"# -*- coding: {encoding} -*-\n")

    (problem,) = shop.problems()

    assert (problem["line"], problem["hint"]) == (1, "save it as UTF-8")
