"""Links and other obstacles in the way of a write: named, never followed, changed or written through."""

import contextlib
import json
import os
import shutil
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.commands import Result, toolfold
from tests.support.projects import Json, generate, small_manifest, write_manifest

KINDS: Final = ("link to a folder", "link to a file", "link to nothing", "fifo", "socket")
LINKS: Final = KINDS[:3]
TOOLS: Final = {"tools": [{"name": "a", "description": "d", "inputSchema": {"type": "object"}}]}


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """A folder outside of the project, which no test may change."""
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "file").write_text("mine", encoding="utf-8")
    before = state(folder)
    yield folder
    assert state(folder) == before, "something was written through a link"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    write_manifest(folder, small_manifest("one"))
    return folder


def state(folder: Path) -> dict[str, object]:
    """Every path below a folder with its kind and content; nothing is opened that could hang."""
    found: dict[str, object] = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        mode = path.lstat().st_mode
        content: object = path.readlink() if stat.S_ISLNK(mode) else None
        content = path.read_bytes() if stat.S_ISREG(mode) else content
        found[str(path)] = (mode, content)
    return found


def put(path: Path, kind: str, victim: Path) -> None:
    match kind:
        case "link to a folder":
            path.symlink_to(victim)
        case "link to a file":
            path.symlink_to(victim / "file")
        case "link to nothing":
            path.symlink_to(victim / "new")
        case "fifo":
            os.mkfifo(path)
        case "socket":
            with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as bound:
                bound.bind(path.name)  # relative: the address of a socket is short


def refused(folder: Path, *command: str) -> Result:
    """A command that fails without a traceback, in a project that it leaves as it was."""
    before = state(folder)
    done = toolfold(folder, *command)
    assert done.code in (1, 2), done
    assert "Traceback" not in done.err
    assert state(folder) == before
    return done


def with_implementation(folder: Path, name: str) -> None:
    content = small_manifest("one")
    content["server"]["implementation"] = name
    write_manifest(folder, content)


@pytest.mark.parametrize(
    ("name", "kind"),
    [*(("new", kind) for kind in KINDS), ("old", KINDS[0]), ("lock", KINDS[2]), ("lock", "fifo")],
)
def test_what_stands_beside_the_output_in_our_names_is_named_and_left_alone(
    name: str, kind: str, project: Path, victim: Path
) -> None:
    put(project / f".generated.toolfold-{name}", kind, victim)

    assert f".generated.toolfold-{name}: in the way" in refused(project, "generate").err


@pytest.mark.parametrize(
    ("output", "at", "kind"),
    [*(("x/out", "x", kind) for kind in KINDS), ("x", "x", KINDS[0]), ("a/x/b/c", "a/x", KINDS[2])],
)
def test_no_link_leads_to_the_output(
    output: str, at: str, kind: str, project: Path, victim: Path
) -> None:
    (project / at).parent.mkdir(exist_ok=True)
    put(project / at, kind, victim)

    done = refused(project, "generate", "-o", output)

    assert done.err.startswith(at)
    assert ("a link, and nothing is written through one" in done.err) == (kind in LINKS)


def test_an_output_is_named_as_absolute_and_still_no_link_leads_to_it(
    project: Path, victim: Path
) -> None:
    (project / "x").symlink_to(victim)

    assert "x: a link" in refused(project, "generate", "-o", str(project / "x/out")).err


def test_a_link_that_leads_in_a_circle_is_named(project: Path) -> None:
    (project / "generated").symlink_to("generated")

    assert "generated: a link" in refused(project, "generate").err


def test_a_project_that_is_reached_through_links_of_the_user_works(
    project: Path, tmp_path: Path
) -> None:
    with_implementation(project, "pkg.mod:Tools")
    (tmp_path / "home").symlink_to(tmp_path)
    (tmp_path / "work").symlink_to("home/project")
    through = tmp_path / "work"

    made = toolfold(tmp_path, "generate", "-m", "work/tools.yaml")
    checked = toolfold(through, "check")
    elsewhere = toolfold(tmp_path, "generate", "-m", "work/tools.yaml", "-o", "home/other")

    assert (made.code, checked.code, elsewhere.code) == (0, 0, 0), made.err + elsewhere.err
    assert (project / "pkg/mod.py").is_file()
    assert (tmp_path / "other/demo/server.py").is_file()


@pytest.mark.parametrize("kind", KINDS)
def test_an_import_is_not_written_through_its_target(
    kind: str, project: Path, victim: Path
) -> None:
    (project / "in.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    put(project / "new.yaml", kind, victim)

    done = refused(project, "import", "tools", "in.json", "-o", "new.yaml", "--force")

    assert "new.yaml: " in done.err
    assert done.code == 2


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2], "fifo"])
def test_an_import_is_not_written_through_its_folder_or_a_planted_copy(
    kind: str, project: Path, victim: Path
) -> None:
    (project / "in.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    put(project / "x", kind, victim)
    put(project / ".new.yaml.toolfold-new", kind, victim)

    refused(project, "import", "tools", "in.json", "-o", "x/new.yaml")
    done = toolfold(project, "import", "tools", "in.json", "-o", "new.yaml")

    assert done.code == 0, done.err
    assert (project / "new.yaml").is_file()
    assert [p for p in project.iterdir() if "toolfold-new" in p.name] == [
        project / ".new.yaml.toolfold-new"
    ]


def test_an_import_that_is_refused_leaves_no_folder(project: Path) -> None:
    tools: Json = {"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": [1]}}]}
    (project / "in.json").write_text(json.dumps(tools), encoding="utf-8")

    refused(project, "import", "tools", "in.json", "-o", "new/deep/tools.yaml")

    assert not (project / "new").exists()


@pytest.mark.parametrize("kind", KINDS[:4])
@pytest.mark.parametrize(("name", "at"), [("pkg.sub.mod", "pkg"), ("pkg.mod", "pkg/mod.py")])
def test_a_class_is_not_written_through_its_folder_or_file(
    kind: str, name: str, at: str, project: Path, victim: Path
) -> None:
    with_implementation(project, f"{name}:Tools")
    (project / at).parent.mkdir(exist_ok=True)
    put(project / at, kind, victim)
    is_readable = at == "pkg/mod.py" and kind == "link to a file"

    done = toolfold(project, "generate")
    before = state(project)
    checked = toolfold(project, "check")

    words = 'no class "Tools"' if is_readable else "is a link" if kind in LINKS else "in the way"
    assert "Traceback" not in done.err
    assert words in done.err
    assert words in checked.err
    assert checked.code == 1
    assert state(project) == before


def test_a_class_is_not_written_into_the_output(project: Path) -> None:
    with_implementation(project, "made.own:Tools")

    done = toolfold(project, "generate", "-o", "made")

    assert "made is replaced whole when generating" in done.err
    assert not (project / "made/own.py").exists()


@pytest.mark.parametrize("kind", ["link to a folder", "link to nothing"])
@pytest.mark.parametrize("at", [".github", ".github/workflows"])
def test_init_writes_through_no_link(
    kind: str, at: str, project: Path, victim: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "fresh"
    (folder / at).parent.mkdir(parents=True)
    put(folder / at, kind, victim)

    assert f"{at}: a link" in refused(folder, "init", ".", "--github").err


@pytest.mark.parametrize("kind", ["link to a file", "link to nothing", "fifo"])
def test_init_needs_a_folder(kind: str, tmp_path: Path, victim: Path) -> None:
    put(tmp_path / "fresh", kind, victim)

    done = toolfold(tmp_path, "init", "fresh")

    assert (done.code, done.err) == (2, "toolfold: fresh: not a folder; name another\n")


@pytest.mark.parametrize(("site", "kind"), [("site", KINDS[2]), ("site/inner", KINDS[0])])
def test_a_site_is_built_through_no_link(kind: str, site: str, project: Path, victim: Path) -> None:
    generate(project)
    put(project / "site", kind, victim)

    assert "site: a link" in refused(project, "docs", "build", "--site", site).err


def test_rankings_are_written_through_no_link_of_the_project(project: Path, victim: Path) -> None:
    query = {"id": "1", "query": "one", "relevant": ["demo::one"]}
    (project / "q.jsonl").write_text(json.dumps(query), encoding="utf-8")
    (project / "out.jsonl").symlink_to(victim / "file")

    done = refused(project, "eval", "q.jsonl", "--rankings", "out.jsonl")

    assert "out.jsonl: a link" in done.err


@pytest.mark.parametrize(
    ("key", "pattern"),
    [
        *(("include", p) for p in ("d/part.yaml", "*/*.yaml", "file.yaml", "f*")),
        ("overlays", "d/*"),
    ],
)
def test_no_pattern_leads_out_of_the_folder_through_a_link(
    key: str, pattern: str, project: Path, victim: Path
) -> None:
    outside = write_manifest(project.parent / "outside", {"tools": {}}, "part.yaml")
    (project / "d").symlink_to(outside.parent)
    (project / "file.yaml").symlink_to(outside)
    write_manifest(project, small_manifest("one") | {key: [pattern]})

    done = refused(project, "generate")

    link = "d" if "/" in pattern else "file.yaml"
    assert f'{key}[0]: "{pattern}" leaves the folder through the link "{link}"' in done.err


def test_links_within_the_folder_are_followed_and_others_not_looked_into(project: Path) -> None:
    two = {"tools": small_manifest("two")["tools"]}
    write_manifest(project / "parts", two, "two.yaml")
    (project / "here").symlink_to("parts")
    (project / "parts/loop").symlink_to("..")
    (project / "parts/root").symlink_to("/")

    for pattern in ("here/*.yaml", "parts/**/*.yaml"):
        write_manifest(project, small_manifest("one") | {"include": [pattern]})
        generate(project)
        assert (project / "generated/docs/tools/two.md").is_file()
        assert toolfold(project, "check").code == 0
        shutil.rmtree(project / "generated")


@pytest.mark.parametrize("kind", ["fifo", "/dev/zero"])
@pytest.mark.parametrize("name", ["tools.yaml", "part.yaml", "impl.py", "base.py"])
def test_what_never_ends_is_not_read(name: str, kind: str, project: Path) -> None:
    content = small_manifest("one") | {"include": ["part.yaml"]}
    content["server"]["implementation"] = "impl:Tools"
    write_manifest(project, content)
    write_manifest(project, {"tools": {}}, "part.yaml")
    source = "import base\nclass Tools(base.Base): pass\n"
    (project / "impl.py").write_text(source, encoding="utf-8")
    (project / "base.py").write_text("class Base:\n    def one(self, params): ...\n", "utf-8")
    generate(project)
    (project / name).unlink()
    if kind == "fifo":
        os.mkfifo(project / name)
    else:
        (project / name).symlink_to(kind)

    for command in ("generate", "check"):
        done = toolfold(project, command)
        assert "Traceback" not in done.err
        assert name in done.err or name == "base.py", done


def test_a_huge_file_is_not_read_whole(project: Path) -> None:
    with_implementation(project, "impl:Tools")
    for name in ("impl.py", "part.yaml"):
        with (project / name).open("wb") as file:
            file.truncate(1 << 40)

    done = toolfold(project, "generate")
    write_manifest(project, small_manifest("one") | {"include": ["part.yaml"]})
    included = toolfold(project, "generate")

    assert "impl.py:1:1: Tools: warning: Python cannot read it: more than 16,777,216" in done.err
    assert "part.yaml:1:1: more than 67,108,864 bytes" in included.err


def test_a_huge_file_in_the_output_is_left_alone(project: Path) -> None:
    generate(project)
    with (project / "generated/huge").open("wb") as file:
        file.truncate(1 << 40)
    write_manifest(project, small_manifest("one", "two"))

    generate(project)

    assert (project / "generated/huge").stat().st_size == 1 << 40


def test_hard_links_in_the_output_are_never_written_to(project: Path, victim: Path) -> None:
    generate(project)
    page = project / "generated/docs/index.md"
    shared = project / "shared.md"
    page.rename(shared)
    page.hardlink_to(shared)
    before = shared.read_bytes()
    write_manifest(project, small_manifest("one", "two"))

    generate(project)

    assert shared.read_bytes() == before
    assert page.read_bytes() != before
