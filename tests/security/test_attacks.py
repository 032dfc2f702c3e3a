"""Attacks on the generator that are about neither links, patterns nor text: names, sizes, full disks."""

import json
import os
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest
from toolfold.compile import plan_manifest
from toolfold.errors import ManifestError
from toolfold.manifest.load import load_with_problems

from tests.security.manifests import manifest_of, tool
from tests.support.commands import Result, must, python, toolfold, toolfold_process
from tests.support.projects import Json, generate, small_manifest, snapshot, write_manifest

HOSTILE_NAME: Final = b"\xff\x1b]0;owned\x07\nforged.py: fine"
_WITH_SMALL_FILES: Final = """
import resource, signal, sys
import toolfold.cli.main
sys.dont_write_bytecode = True  # it would be cut off for all later tests
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
for command in sys.argv[1:]:
    print(toolfold.cli.main.main(command.split()), flush=True)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    write_manifest(folder, small_manifest("one"))
    return folder


def assert_plain(done: Result) -> None:
    """No traceback, and nothing that a terminal would obey."""
    assert "Traceback" not in done.err
    assert [c for c in done.text if not c.isprintable() and c != "\n"] == []


# --- names of files ----------------------------------------------------------------------------


def test_a_hostile_name_of_an_included_file_reaches_no_terminal(project: Path) -> None:
    write_manifest(project, small_manifest("one") | {"include": ["*.part"]})
    (project / f"{os.fsdecode(HOSTILE_NAME)}.part").write_text("bogus: 1", encoding="utf-8")

    done = toolfold(project, "generate")

    assert_plain(done)
    assert done.err.startswith(r"\udcff\x1b]0;owned\x07\nforged.py: fine.part:1:1: bogus: ")


def test_hostile_names_in_the_output_are_kept_and_reported_on_one_line(project: Path) -> None:
    generate(project)
    page = (project / "generated/docs/index.md").read_bytes()
    foreign, left_over = (
        os.fsencode(project / "generated") + b"/" + n + HOSTILE_NAME for n in (b"a", b"b")
    )
    Path(os.fsdecode(foreign)).write_bytes(b"mine")
    Path(os.fsdecode(left_over)).write_bytes(page)
    must(project, "git", "init", "-q")
    must(project, "git", "add", "generated/docs", "generated/demo")

    checked = toolfold(project, "check")
    generated = toolfold(project, "generate")
    committed = toolfold(project, "generate", "--for-commit")

    for done in (checked, generated, committed):
        assert_plain(done)
    assert r"generated/b\udcff\x1b]0;owned\x07\nforged.py: fine: no longer" in checked.out
    assert ", 1 removed" in generated.out
    assert (
        r"generated/a\udcff\x1b]0;owned\x07\nforged.py: fine: generated, and not added"
        in committed.err
    )
    assert Path(os.fsdecode(foreign)).read_bytes() == b"mine"


@pytest.mark.parametrize(
    "command",
    [
        "generate -o {}",
        "generate -m {}",
        "init {}",
        "import tools in.json -o {}",
        "docs build --site {}",
    ],
)
def test_a_name_that_is_too_long_is_wrong_use(command: str, project: Path) -> None:
    tools = [{"name": "a", "inputSchema": {"type": "object"}}]
    (project / "in.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    generate(project)
    before = snapshot(project)

    done = toolfold(project, *shlex.split(command.format("n" * 300)))

    assert (done.code, "ile name too long" in done.err) == (2, True)
    assert_plain(done)
    assert snapshot(project) == before


@pytest.mark.parametrize("name", ["loop", "loop/tools.yaml"])
def test_a_manifest_behind_a_circle_of_links_cannot_be_read(name: str, project: Path) -> None:
    (project / "loop").symlink_to("loop")

    done = toolfold(project, "generate", "-m", name)

    assert (done.code, "cannot be read" in done.err) == (2, True)


def test_output_in_any_encoding(project: Path) -> None:
    done = toolfold_process(
        project, "init", "\u00e9\u2013", environment={"PYTHONIOENCODING": "ascii"}
    )

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("\\xe9\\u2013/tools.yaml: written\n")


def test_files_of_the_project_change_nothing_about_generating(
    project: Path, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    write_manifest(plain, small_manifest("one"))
    generate(plain)
    for name in ("json", "yaml", "ruff", "re", "typing", "pydantic", "sitecustomize", "jinja2"):
        (project / f"{name}.py").write_text("open('canary', 'w')", encoding="utf-8")
    (project / "ruff.toml").write_text("line-length = 40\nindent-width = 2", encoding="utf-8")

    command = "import sys; sys.path.pop(0); from toolfold.cli.main import main; main(['generate'])"
    done = python(project, "-c", command)

    assert (done.code, done.err) == (0, "")
    assert not (project / "canary").exists()
    assert snapshot(project / "generated") == snapshot(plain / "generated")


# --- sizes -------------------------------------------------------------------------------------


def explosive(levels: int = 28) -> Json:
    """Definitions of which each stands for four of the next; no two parts of one are the same."""
    definitions: Json = {
        f"{letter}{n}": {"allOf": [{"$ref": f"#/$defs/A{n + 1}"}, {"$ref": f"#/$defs/B{n + 1}"}]}
        for n in range(levels)
        for letter in "AB"
    }
    last = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
    return definitions | {f"A{levels}": last, f"B{levels}": last}


_A: Final = {"$ref": "#/$defs/A0"}
_DOCUMENT: Final = {"type": "object", "properties": {"a": _A}, "$defs": explosive()}
_EXAMPLES: Final = [{"arguments": {"a": {"x": "1"}}}]


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        ("parameters", {"parameters": {"a": _A}}),
        ("parameters", {"parameters": {"a": _A | {"required": True}}}),
        ("parameters", {"parameters": {"a": _A | {"default": {"x": "1"}}}}),
        ("parameters", {"parameters": {"a": _A}, "examples": _EXAMPLES}),
        ("returns", {"returns": _A}),
        ("input_schema", {"input_schema": _DOCUMENT | {"required": ["a"]}}),
        ("input_schema", {"input_schema": _DOCUMENT, "examples": _EXAMPLES}),
        ("input_schema", {"input_schema": _DOCUMENT | {"examples": [{"a": {"x": "1"}}]}}),
        ("output_schema", {"output_schema": _DOCUMENT}),
    ],
)
def test_references_that_stand_for_billions_of_schemas_are_warned_about(
    key: str, entry: Json, project: Path
) -> None:
    write_manifest(project, manifest_of({"t": tool(**entry)}, **{"$defs": explosive()}))

    done = toolfold(project, "generate", "--no-cache", "-v")

    assert done.code == 0, done.err
    assert f"tools.t.{key}: warning: validation may take very long" in done.err


def test_every_one_of_thousands_of_mistakes_is_reported_once(tmp_path: Path) -> None:
    tools: Json = {f"t{number}": number for number in range(4000)}
    manifest = manifest_of({"t": tool(), **tools}, workflows=[5] * 1000)

    with pytest.raises(ManifestError) as refusal:
        plan_manifest(load_with_problems(write_manifest(tmp_path, manifest)))

    assert len({problem.path for problem in refusal.value.problems}) == 5000


@pytest.mark.parametrize("value", ["2m", "2kb", "-1", 1.5, True, [1]])
def test_a_budget_that_is_no_number_has_a_way_out(value: object, tmp_path: Path) -> None:
    manifest = manifest_of({"t": tool(budget=value)})

    with pytest.raises(ManifestError) as refusal:
        plan_manifest(load_with_problems(write_manifest(tmp_path, manifest)))

    (problem,) = refusal.value.problems
    assert problem.hint == "write digits and no unit, as in `budget: 1500`"


@pytest.mark.parametrize("key", ["$ref", "$id", "$schema"])
def test_an_address_that_is_none_is_a_warning(key: str, tmp_path: Path) -> None:
    schema = {"type": "object", key: "http://[bad", "properties": {"a": {key: "http://[bad"}}}
    manifest = manifest_of({"t": tool(input_schema=schema, output_schema=schema)})

    plan = plan_manifest(load_with_problems(write_manifest(tmp_path, manifest)))

    assert {warning.code for warning in plan.warnings} <= {"reference", "meta-schema", "keyword"}
    assert plan.warnings


def test_an_endless_list_of_tools_is_not_read_to_its_end(project: Path) -> None:
    done = toolfold(project, "import", "tools", "/dev/zero", "-o", "new.yaml")

    assert (done.code, "/dev/zero: more than 268,435,456 bytes" in done.err) == (2, True)


# --- moments -----------------------------------------------------------------------------------


def test_two_manifests_at_once_never_mix_in_one_output(project: Path) -> None:
    write_manifest(project, small_manifest("uno", package="other"), "other.yaml")
    names = ("tools.yaml", "other.yaml")

    with ThreadPoolExecutor(2) as pool:
        commands = [("generate", "-q", "--no-cache", "-m", name) for name in names]
        runs = [pool.submit(toolfold_process, project, *command) for command in commands]
    codes = sorted(run.result().code for run in runs)

    assert codes == [0, 1]
    packages = {path.parent.name for path in (project / "generated").glob("*/server.py")}
    assert packages in ({"demo"}, {"other"})
    assert {path.name for path in project.iterdir()} == {"generated", *names}


def test_a_full_disk_leaves_no_part_of_a_file_or_folder(project: Path) -> None:
    tools = [{"name": f"a{number}", "inputSchema": {"type": "object"}} for number in range(9)]
    (project / "in.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    content = small_manifest("one")
    generate(project)
    content["server"]["implementation"] = "pkg.mod:Tools"
    write_manifest(project, content)
    before = snapshot(project)

    commands = ["import tools in.json -o d/new.yaml", "init fresh", "generate --no-cache"]
    done = python(project, "-c", _WITH_SMALL_FILES, *commands)

    assert done.out == "2\n2\n1\n"
    assert done.err.count("File too large") == 3
    assert "Traceback" not in done.err
    assert snapshot(project) == before


@pytest.mark.parametrize(
    ("include", "words"),
    [
        (["part.yaml"], "link to an absolute path"),
        (5, "include: expected a list"),
        (["a\0b"], ""),  # breaches of today's rules pass
    ],
)
def test_a_manifest_of_an_earlier_revision_may_be_hostile(
    include: object, words: str, project: Path
) -> None:
    write_manifest(project, small_manifest("one") | {"include": include})
    (project / "part.yaml").symlink_to("/etc/hostname")
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        must(project, "git", *command)
    write_manifest(project, small_manifest("one"))
    generate(project)

    done = toolfold(project, "docs", "build", "--since", "HEAD")

    assert (done.code == 0) == (not words)
    assert words in done.err
    assert_plain(done)
    assert (project / "site").exists() == (not words)
