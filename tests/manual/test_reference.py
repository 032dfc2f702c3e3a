"""The reference of toolfold's own docs: its examples are right, and nothing is left out."""

import ast
import re
import shlex
import tomllib
from pathlib import PurePosixPath
from typing import Any

import jsonschema_rs
import pytest
from toolfold.cli.arguments import parser
from toolfold.manifest.editor_schema import manifest_schema
from toolfold.manifest.read import read_yaml
from toolfold.manifest.tree import plain
from toolfold_runtime.contract import files
from toolfold_runtime.contract.vocabulary import CODES

from manual.command_examples import EXAMPLES
from manual.commands import EXTRAS, VARIABLES, Argument, Command
from manual.error_codes import CODES as EXPLAINED
from manual.error_codes import FINDINGS
from manual.files import KINDS
from manual.keys import Key, manifest_keys
from manual.manifest_pages import manifest_pages
from manual.names import Member, PublicName, public_names
from tests.support.documents import fenced_blocks
from tests.support.projects import ROOT

# What an author would have to write around an example of a page.
AROUND = {
    "manifest-tools.md": ("tools", "t"),
    "manifest-backend.md": ("tools", "t"),
    "manifest-servers.md": ("servers", "s"),
}


def without_required(part: object) -> object:
    """A schema that a part of a manifest satisfies too."""
    if isinstance(part, dict):
        is_list = isinstance(part.get("required"), list)
        alone = "oneOf" if any("required" in c for c in part.get("oneOf", ()) if c) else ""
        left_out = {"required" if is_list else "", alone}
        return {key: without_required(inner) for key, inner in part.items() if key not in left_out}
    return [without_required(inner) for inner in part] if isinstance(part, list) else part


def test_every_example_of_a_key_is_what_the_schema_allows() -> None:
    schema: Any = without_required(manifest_schema())
    allows = jsonschema_rs.Draft7Validator(schema)
    wrong = []
    for name, page in manifest_pages().items():
        for code in fenced_blocks(page, "yaml"):
            value: Any = plain(read_yaml(code.encode(), name))
            if name in AROUND and not set(value) & {AROUND[name][0]}:
                section, entry = AROUND[name]
                value = {section: {entry: value}}
            if not allows.is_valid(value):
                wrong.append((name, code))

    assert wrong == []


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_every_command_of_the_reference_is_one(line: str) -> None:
    program, *arguments = shlex.split(line)

    assert program == "toolfold"
    assert parser().parse_args(arguments).run


def test_every_variable_of_the_environment_that_is_read_is_described() -> None:
    read = {
        name
        for folder in ("generator", "runtime")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r'"(TOOLFOLD_[A-Z_]+)"', path.read_text(encoding="utf-8"))
    }

    assert read == {name for name, _ in VARIABLES if name.startswith("TOOLFOLD_")}


def test_every_extra_that_can_be_installed_is_described() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert set(EXTRAS) == set(project["project"]["optional-dependencies"])


def test_every_generated_file_is_of_a_kind_that_is_described() -> None:
    patterns = [kind.pattern.replace("<package>", "tana_mcp") for kind in KINDS]
    generated = ROOT / "generated"
    paths = (path.relative_to(generated) for path in generated.rglob("*") if path.is_file())
    unknown = [
        path.as_posix()
        for path in paths
        if "__pycache__" not in path.parts
        and not any(PurePosixPath(path).match(pattern) for pattern in patterns)
    ]

    assert unknown == []


def test_every_file_that_a_catalog_may_have_is_described() -> None:
    described = [kind.pattern.removeprefix("<package>/catalog/") for kind in KINDS]
    names = [path for name, path in vars(files).items() if name.isupper()]

    assert [path for path in names if not any(map(PurePosixPath(path).match, described))] == []
    assert "pins.jsonl" in names


def test_every_error_code_says_what_to_do() -> None:
    assert tuple(EXPLAINED) == CODES
    assert all(meaning.agent and meaning.operator for meaning in EXPLAINED.values())


def test_every_finding_is_explained() -> None:
    """Codes are literal: the last argument of a report, `code=`, or a constant named CODE."""
    found = {
        code
        for path in (ROOT / "generator/toolfold").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for code in codes_of(node)
    }

    assert found <= set(FINDINGS)
    assert len(found) > 25


def codes_of(node: ast.AST) -> list[object]:
    match node:
        case ast.keyword(arg="code", value=ast.Constant(value=str(code))):
            return [code]
        case ast.AnnAssign(target=ast.Name(id="CODE" | "_CODE"), value=ast.Constant(value=code)):
            return [code]
        case ast.Call(func=ast.Attribute(attr="error" | "warning"), args=[_, _, _, last]):
            return [last.value] if isinstance(last, ast.Constant) else []
        case ast.Call(func=ast.Name(id="Problem" | "SchemaProblem"), args=[*_, ast.Constant(c)]):
            return [c] if re.fullmatch("[a-z]+(-[a-z]+)*", str(c)) else []
    return []


def test_a_definition_is_described_once_and_named_where_it_is_met_again() -> None:
    keys = {key.name: key for key in manifest_keys()}

    assert keys["disclosure.meta.search"].described_at == ("disclosure", "meta", "capabilities")
    assert "disclosure.meta.capabilities.name" in keys
    assert "disclosure.meta.search.name" not in keys
    assert keys["tools.<tool>.cache.ttl"] == Key(
        ("tools", "<tool>", "cache", "ttl"),
        "Seconds for which an answer may be given again.",
        "a number above 0 to 86,400",
        "",
        is_required=True,
        example=60,
    )


def test_names_are_read_with_their_signatures_fields_and_examples() -> None:
    names = {known.name: known for known in public_names()}

    assert names["progress"].signature == (
        "def progress(done: float, total: float | None = None, message: str | None = None) -> None"
    )
    assert names["assert_current"].module == "toolfold.testing"
    members = [member.signature.partition(":")[0] for member in names["Image"].members]
    assert members == ["data", "mime_type", "from_file(path", "annotations", "meta"]
    assert "caller()" in names["caller"].example


def test_what_is_undocumented_is_named_with_the_way_out() -> None:
    key = Key(("tools", "<tool>", "new"), "", "text", "", is_required=False, example=None)
    flag = Argument("--new N", "--new", "default: 1", ())
    name = PublicName("toolfold_runtime", "new", "def new()", "", (Member("x: int", ""),), "")

    assert key.missing == [
        "tools.<tool>.new: give its field a description=",
        "tools.<tool>.new: give its field examples=[…]",
    ]
    assert Command("check", "", (flag,)).missing == [
        "toolfold check: give its parser help=",
        "toolfold check --new N: say in help= what it is",
        "toolfold check --new: use it in manual/command_examples.py",
    ]
    assert name.missing == [
        "toolfold_runtime.new: give it a docstring, or a #: comment",
        "toolfold_runtime.new: use it in manual/author_examples.py",
        "toolfold_runtime.new: x: int: give it a docstring, or a #: comment",
    ]
