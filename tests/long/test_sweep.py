"""Every real tool goes through: nine catalogs imported, generated, checked, imported and served."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest
from toolfold.manifest.editor_schema import manifest_schema
from toolfold.manifest.hidden import hidden_runs
from toolfold.manifest.read import read_yaml
from toolfold.manifest.tree import plain
from toolfold.plan.schemas.smallest import example_arguments
from toolfold_runtime.serving.paging import MOST_PAGE_BYTES

from tests.importing.material import IMPORT_ALL, as_sent, catalog, list_every_tool
from tests.support.commands import python, toolfold
from tests.support.projects import Json
from tests.support.servers import listed_tools

CATALOGS: Final = Path(__file__).parents[3] / "shared/bench/catalogs"
TOOLS: Final = {
    "seal-tools": 4_076,
    "stabletoolbench": 2_479,
    "mcp-servers": 1_641,
    "bfcl-live": 528,
    "livemcpbench": 527,
    "metatool": 199,
    "github-mcp-server": 117,
    "toolalpaca": 94,
    "restbench-tmdb": 54,
}
_LARGEST: Final = "seal-tools"
_HINTS: Final = frozenset(
    {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
)

pytestmark = pytest.mark.long


def source_of(name: str) -> dict[str, Json]:
    """A catalog's tools by id, in order."""
    path = CATALOGS / f"{name}.json"
    assert path.is_file(), f"{path} is not there: the sweep needs the catalogs of ../shared/bench"
    tools: list[Json] = json.loads(path.read_bytes())["tools"]
    return {f"{tool['server']}::{tool['name']}": tool for tool in tools}


def generated_from(name: str, folder: Path) -> str:
    """Import and generate a catalog in `folder`; the package's name."""
    path = CATALOGS / f"{name}.json"
    with timed(f"{name}: import"):
        said = toolfold(folder, "import", "tools", str(path))
    assert said.code == 0, said.err
    list_every_tool(folder)
    with timed(f"{name}: generate"):
        said = toolfold(folder, "generate", "--quiet")
    assert said.code == 0, said.err
    return catalog(folder).package


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{what}: {time.perf_counter() - start:.1f} s")


def test_the_catalogs_hold_every_tool_that_the_sweep_promises() -> None:
    assert {name: len(source_of(name)) for name in TOOLS} == TOOLS
    assert sorted(path.stem for path in CATALOGS.glob("*.json")) == sorted(TOOLS)
    assert sum(TOOLS.values()) == 9_715


def test_a_valid_call_is_made_for_every_tool_that_can_be_called() -> None:
    tools = {identity: tool for name in TOOLS for identity, tool in source_of(name).items()}
    schemas = {
        identity: {"type": "object", **tool["inputSchema"]} for identity, tool in tools.items()
    }
    without = [name for name, schema in schemas.items() if example_arguments(schema, ()) is None]

    # Two demand what they forbid; one breaks the rules of its dialect.
    names = {identity.rpartition("::")[2] for identity in without}
    assert names == {"extract_parameters_v1", "netlify-coding-rules", "read_pdf"}


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_of_a_catalog_is_served_as_its_server_described_it(
    name: str, tmp_path: Path
) -> None:
    source = source_of(name)
    package = generated_from(name, tmp_path)
    output = tmp_path / "generated"

    assert_editors_mark_nothing(tmp_path)
    with timed(f"{name}: check"):
        assert_current(tmp_path)
    with timed(f"{name}: import of every module"):
        assert_all_modules_import(output, package, len(source))
    with timed(f"{name}: tools/list"):
        listed = listed_tools(output, package)

    served = {tool["_meta"]["toolfold/id"]: tool for tool in listed if "toolfold/id" in meta(tool)}
    baked = catalog(tmp_path)
    assert list(served) == list(source)
    assert len({tool["name"].casefold() for tool in listed}) == len(listed)
    for identity, tool in source.items():
        assert_served(identity, tool, served[identity])
        assert baked.entry(identity).name == served[identity]["name"]
    size = sum(baked.entry(tool).listed_bytes for tool in baked.names())
    print(f"{name}: {size / 1e6:.1f} MB listed")
    assert size < MOST_PAGE_BYTES, "one page"


def assert_editors_mark_nothing(folder: Path) -> None:
    editor = jsonschema_rs.Draft7Validator(manifest_schema())
    manifest = plain(read_yaml((folder / "tools.yaml").read_bytes(), "tools.yaml"))
    assert [error.message for error in editor.iter_errors(manifest)] == []


def assert_current(folder: Path) -> None:
    cached = toolfold(folder, "check")
    assert (cached.code, cached.out) == (0, "")
    compiled = toolfold(folder, "check", "--no-cache")
    assert (compiled.code, compiled.out) == (0, "")


def assert_all_modules_import(output: Path, package: str, tools: int) -> None:
    done = python(output, "-W", "error", "-c", IMPORT_ALL, package, patience=600)
    assert done.code == 0, done.err
    assert int(done.out) > tools


def assert_served(identity: str, source: Json, served: Json) -> None:
    given = source["inputSchema"]
    expected = given if "type" in given else {**given, "type": "object"}
    assert as_sent(served["inputSchema"]) == as_sent(expected), identity
    returned = source.get("outputSchema")
    if returned is None:
        assert "outputSchema" not in served, identity
    elif returned.get("type") == "object" and "$ref" not in returned:
        assert as_sent(served["outputSchema"]) == as_sent(returned), identity
    else:
        assert served["outputSchema"]["required"] == ["result"], identity
    assert served["description"] == (source.get("description") or served["description"]), identity
    for key, value in meta(source).items():
        assert meta(served)[key] == value, identity
    hints = source.get("annotations") or {}
    for key in _HINTS & hints.keys():  # the SDK sends no others
        if hints[key] is not None:  # null says nothing; then the effect decides
            assert served["annotations"].get(key) == hints[key], (identity, key)


def meta(tool: Json) -> dict[str, Any]:
    return tool.get("_meta") or {}


def test_the_largest_package_passes_strict_type_checking(tmp_path: Path) -> None:
    package = generated_from(_LARGEST, tmp_path)
    options = ("--strict", "--config-file=", f"--cache-dir={tmp_path}/.mypy")

    with timed(f"{_LARGEST}: mypy --strict"):
        done = python(tmp_path / "generated", "-m", "mypy", *options, package, patience=600)

    assert done.code == 0, done.out[-4000:] + done.err[-4000:]
    assert "no issues found in" in done.out


def test_hidden_characters_are_found_in_few_real_tools() -> None:
    texts = [
        (name, text)
        for name in TOOLS
        for tool in source_of(name).values()
        for text in _texts(tool)
        if hidden_runs(text)
    ]

    assert [(name, ascii(text[:4])) for name, text in texts] == [
        ("stabletoolbench", ascii("\u200bhtt"))
    ]


def _texts(value: object) -> Iterator[str]:
    """Every text and key in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        for one in inner:
            yield from _texts(one)
