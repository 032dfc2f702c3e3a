"""What a renamed tool leaves in the author's class, and files that Python cannot read."""

from pathlib import Path

import pytest

from tests.classes.material import IMPORTS, RIGHT, Shop
from tests.support.commands import toolfold


def write_with(shop: Shop, old: str, imports: str = "") -> None:
    """A class whose `find` has another method in its place."""
    methods = "\n".join(f"    {text}" for text in {**RIGHT, "find": old}.values())
    shop.write(f"{imports or IMPORTS}\n\nclass Tools:\n{methods}\n")


@pytest.mark.parametrize(
    "old",
    [
        "def find_all(self, params): ...",
        "def search(self, params: SearchParams) -> SearchResult: ...",
        "def search(self, params) -> 'SearchResult': ...",
    ],
    ids=["alike", "its models are gone", "its result is gone"],
)
def test_a_method_left_after_a_rename_is_shown_with_its_new_name(shop: Shop, old: str) -> None:
    gone = "from shop_mcp.models.search import SearchParams, SearchResult\n"
    write_with(shop, old, IMPORTS + (gone if "Search" in old else ""))
    name = old.split("(")[0].removeprefix("def ")

    *_, problem = shop.problems()

    assert (problem["path"], problem["column"]) == (f"Tools.{name}", 5)
    assert problem["fact"] == 'belongs to no tool, while a tool has no method "find"'
    assert problem["hint"] == (
        f"if its tool was renamed: `def {name}` → `def find(self, params: FindParams) -> FindResult:`,"
        f" and `aliases: [{name}]` under the tool for callers of the old name"
    )


@pytest.mark.parametrize(
    "old",
    [
        "def other(self, params): ...",
        "def _find(self, params): ...",
        "def start(self, params): ...",
    ],
)
def test_a_method_that_is_not_alike_is_not_taken_for_a_rename(shop: Shop, old: str) -> None:
    write_with(shop, old)

    (problem,) = shop.problems()

    assert problem["fact"] == 'no method "find" for the tool "find"'


def test_a_renamed_tool_is_reported_at_its_import_and_its_method(
    shop: Shop, tmp_path: Path
) -> None:
    manifest = (shop.folder / "tools.yaml").read_text(encoding="utf-8")
    (tmp_path / "tools.yaml").write_text(manifest.replace("  ping:", "  pong:"), encoding="utf-8")
    renamed = Shop(tmp_path)
    renamed.write_class(RIGHT["find"])

    done = toolfold(tmp_path, "generate", "-q")

    assert done.err == (
        'implementation.py:4:1: warning: no module "shop_mcp.models.ping" is generated\n'
        "  4 | from shop_mcp.models.ping import PingParams\n"
        "    | ^\n"
        "  write `from shop_mcp.models.pong import PongParams`"
        " and `from toolfold_runtime import Anything`\n"
        "implementation.py:11:5: Tools.ping: warning: belongs to no tool, while a tool has no method"
        ' "pong"\n'
        "  11 |     def ping(self, params: PingParams) -> object: ...\n"
        "     |     ^\n"
        "  if its tool was renamed: `def ping` → `def pong(self, params: PongParams) -> Anything:`,"
        " and `aliases: [ping]` under the tool for callers of the old name\n"
    )


@pytest.mark.parametrize(
    ("line", "fact", "hint"),
    [
        ("import shop_mcp.models.finds", 'no module "shop_mcp.models.finds" is generated', 'did you mean "shop_mcp.models.find"?'),
        ("from shop_mcp.models import finds", 'no module "shop_mcp.models.finds" is generated', 'did you mean "shop_mcp.models.find"?'),
        ("from shop_mcp.modles.find import FindParams", 'no module "shop_mcp.modles.find" is generated', "write `from shop_mcp.models.find import FindParams`"),
        ("from shop_mcp.models.zzz import Zzz", 'no module "shop_mcp.models.zzz" is generated', "remove it, or look in shop_mcp/models for what there is"),
        ("from shop_mcp.models.find import FindParms", 'no "FindParms" is generated in shop_mcp.models.find', 'did you mean "FindParams"?'),
        ("from shop_mcp.models.find import DropResult", 'no "DropResult" is generated in shop_mcp.models.find', "write `from shop_mcp.models.drop import DropResult`"),
        ("from shop_mcp.models.find import ThingResult", 'no "ThingResult" is generated in shop_mcp.models.find', "write `from shop_mcp.models.find import FindParams, FindResult`"),
        ("def later():\n    from shop_mcp.handlers import Handler", 'no "Handler" is generated in shop_mcp.handlers', 'did you mean "Handlers"?'),
    ],
)  # fmt: skip
def test_an_import_of_what_is_not_generated_is_reported(
    shop: Shop, line: str, fact: str, hint: str
) -> None:
    shop.write_class(RIGHT["find"], f"import os\n{line}")

    (problem,) = shop.problems()

    assert (problem["line"], problem["fact"]) == (6 + line.count("\n"), fact)
    assert problem["hint"] == hint


@pytest.mark.parametrize(
    "line",
    [
        "from shop_mcp.handlers import Handlers",
        "from shop_mcp import models, server",
        "from shop_mcp.models import find",
        "from shop_mcp.models.find import *",
        "from shop_mcp.models.find import Model",
        "import shop_mcp, shop_mcp.models, shop_mcp.models.find",
        "import shop_mcp_more.models",
        "from .models import anything",
        "try:\n    from shop_mcp.models.gone import Gone\nexcept ImportError:\n    pass",
    ],
)
def test_other_imports_are_not_reported(shop: Shop, line: str) -> None:
    shop.write_class(RIGHT["find"], line)

    assert shop.problems() == []


def test_a_module_that_somebody_put_beside_the_generated_ones_is_there(shop: Shop) -> None:
    added = shop.folder / "generated" / "shop_mcp" / "models" / "mine.py"
    added.write_text("class Mine: ...\n", encoding="utf-8")
    shop.write_class(RIGHT["find"], "from shop_mcp.models.mine import Mine")
    try:
        assert shop.problems() == []
    finally:
        added.unlink()


@pytest.mark.parametrize(
    ("data", "place", "fact", "hint"),
    [
        (b"class Tools:\n    def (self): ...\n", (2, 9), "invalid syntax", ""),
        (b"x = 1\nclass Tools:\n    x = 'caf\xe9'\n", (3, 13), "byte 0xe9 is not utf-8", "save it as UTF-8"),
        (b"# coding: nonsense\n", (1, 1), "unknown encoding: nonsense", "save it as UTF-8"),
        (b"x = 1\ny = '\0'\n", (2, 6), "a null character", "remove it"),
        (b"x = " + b"-" * 20000 + b"1\n", (1, 1), "too deeply nested", "split the expression that is nested so deeply"),
    ],
    ids=["syntax", "bytes", "encoding", "null", "depth"],
)  # fmt: skip
def test_a_file_that_python_cannot_read_is_named_with_the_place(
    shop: Shop, data: bytes, place: tuple[int, int], fact: str, hint: str
) -> None:
    (shop.folder / "implementation.py").write_bytes(data)

    (problem,) = shop.problems()

    assert problem["file"] == "implementation.py"
    assert (problem["line"], problem["column"]) == place
    assert (problem["fact"], problem["hint"]) == (f"Python cannot read it: {fact}", hint)


def test_a_base_that_python_cannot_read_is_named_and_not_the_class(shop: Shop) -> None:
    shop.write("from base import Base\nclass Tools(Base): ...\n")
    shop.write("\nclass Base(:\n", "base.py")

    (problem,) = shop.problems()

    assert (problem["file"], problem["line"]) == ("base.py", 2)


def test_another_encoding_that_the_file_declares_is_read(shop: Shop) -> None:
    shop.write_class(RIGHT["find"], "x = 'é\\d'")
    path = shop.folder / "implementation.py"
    text = "# -*- coding: latin-1 -*-\n" + path.read_text(encoding="utf-8")
    path.write_bytes(text.encode("latin-1"))

    assert shop.problems() == []
