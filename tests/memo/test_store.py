"""The store: whatever is wrong with it, output and exit code are the same, and nothing hangs."""

import contextlib
import hashlib
import json
import os
import random
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from toolfold.memo.store import FileStore

from tests.support.commands import toolfold
from tests.support.projects import generate, small_manifest, snapshot, write_manifest

Harm = Callable[[Path, random.Random], object]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder of one test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TOOLFOLD_CACHE", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path, cache: Path) -> Path:
    folder = tmp_path / "project"
    write_manifest(folder, small_manifest("one"))
    generate(folder)
    assert len(list(cache.iterdir())) == 1
    return folder


def store_of(cache: Path) -> Path:
    (path,) = cache.iterdir()
    return path


def assert_works(project: Path) -> None:
    """A missing file is restored with the bytes of a fresh run."""
    before = snapshot(project / "generated")
    (project / "generated/demo/models/one.py").unlink()

    said = generate(project)

    assert said.startswith("generated/: 1 written, ")
    assert snapshot(project / "generated") == before


def digest(key: bytes, text: bytes) -> bytes:
    return hashlib.sha256(key + b" " + text).hexdigest().encode()


def _truncated(path: Path, drawn: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: drawn.randrange(len(data))])


def _flipped(path: Path, drawn: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(drawn.randint(1, 200)):
        data[drawn.randrange(len(data))] ^= 1 << drawn.randrange(8)
    path.write_bytes(bytes(data))


def _zeroed(path: Path, drawn: random.Random) -> None:
    data = bytearray(path.read_bytes())
    start = drawn.randrange(len(data))
    data[start : start + 5000] = bytes(min(5000, len(data) - start))
    path.write_bytes(bytes(data))


def _garbage(path: Path, drawn: random.Random) -> None:
    path.write_bytes(drawn.randbytes(drawn.randrange(20_000)))


def _lines_swapped(path: Path, drawn: random.Random) -> None:
    """Every key gets another one's text and digest."""
    header, *lines = path.read_bytes().split(b"\n")
    keys = [line.partition(b" ")[0] for line in lines]
    rests = [line.partition(b" ")[2] for line in lines]
    drawn.shuffle(rests)
    path.write_bytes(b"\n".join([header, *map(b" ".join, zip(keys, rests, strict=True))]))


def _texts_replaced(path: Path, drawn: random.Random) -> None:
    """Texts of another type under their own keys, with digests that match."""
    header, *lines = path.read_bytes().split(b"\n")
    texts = [b"null", b"[]", b"{}", b"5", b'"x"', b"[[]]", b"no JSON", b""]
    damaged = []
    for line in lines:
        key = line.partition(b" ")[0]
        if key.startswith((b"page:", b"module:")):
            damaged.append(line)  # whose type any text has
            continue
        text = drawn.choice(texts)
        damaged.append(b" ".join([key, digest(key, text), text]))
    path.write_bytes(b"\n".join([header, *damaged]))


def _other_header(path: Path, drawn: random.Random) -> None:
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([f"toolfold memo {drawn.random()}".encode(), *lines[1:]]))


def _linked(path: Path, drawn: random.Random) -> None:
    target = path.parent.parent / f"elsewhere{drawn.random()}"
    target.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(target)


def _dangling(path: Path, drawn: random.Random) -> None:
    path.unlink()
    path.symlink_to(path.parent.parent / f"nothing{drawn.random()}")


def _hard_linked(path: Path, drawn: random.Random) -> None:
    (path.parent.parent / f"copy{drawn.random()}").hardlink_to(path)


def _folder(path: Path, _: random.Random) -> None:
    path.unlink()
    path.mkdir()


def _fifo(path: Path, _: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


def _socket(path: Path, _: random.Random) -> None:
    path.unlink()
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as bound:
        bound.bind(path.name)  # relative: the address of a socket is short


def _empty(path: Path, _: random.Random) -> None:
    path.write_bytes(b"")


def _missing(path: Path, _: random.Random) -> None:
    path.unlink()


def _unreadable(path: Path, _: random.Random) -> None:
    path.chmod(0)


def _folder_is_file(path: Path, _: random.Random) -> None:
    shutil.rmtree(path.parent)
    path.parent.write_bytes(b"mine")


def _folder_is_fifo(path: Path, _: random.Random) -> None:
    shutil.rmtree(path.parent)
    os.mkfifo(path.parent)


def _folder_is_linked(path: Path, drawn: random.Random) -> None:
    elsewhere = path.parent.with_name(f"elsewhere{drawn.random()}")
    path.parent.rename(elsewhere)
    path.parent.symlink_to(elsewhere)


def _folder_is_read_only(path: Path, _: random.Random) -> None:
    path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)


HARMS: Final[list[Harm]] = [
    _truncated,
    _flipped,
    _zeroed,
    _garbage,
    _lines_swapped,
    _texts_replaced,
    _other_header,
    _linked,
    _dangling,
    _hard_linked,
    _folder,
    _fifo,
    _socket,
    _empty,
    _missing,
    _unreadable,
    _folder_is_file,
    _folder_is_fifo,
    _folder_is_linked,
    _folder_is_read_only,
]


def outside(cache: Path) -> dict[str, object]:
    """What lies beside the project and the cache, and must not change."""
    return {
        path.name: path.readlink() if path.is_symlink() else _content(path)
        for path in cache.parent.iterdir()
        if path.name not in ("project", "cache")
    }


def _content(path: Path) -> object:
    return snapshot(path) if path.is_dir() else path.read_bytes()


@pytest.mark.parametrize("harm", HARMS)
def test_a_harmed_store_changes_neither_output_nor_exit_code(
    harm: Harm, project: Path, cache: Path
) -> None:
    assert_survives(harm, range(1), project, cache)


@pytest.mark.long
@pytest.mark.parametrize("harm", HARMS)
def test_two_hundred_harmed_stores_change_nothing(harm: Harm, project: Path, cache: Path) -> None:
    assert len(HARMS) == 20
    assert_survives(harm, range(10), project, cache)


def assert_survives(harm: Harm, seeds: range, project: Path, cache: Path) -> None:
    path, original = store_of(cache), store_of(cache).read_bytes()
    for seed in seeds:
        harm(path, random.Random(seed))
        before = outside(cache)

        assert_works(project)

        assert outside(cache) == before
        _restore(path, original)
    assert toolfold(project, "check").code == 0


def _restore(path: Path, original: bytes) -> None:
    cache = path.parent
    if cache.is_symlink() or not cache.is_dir():
        cache.unlink()
    else:
        cache.chmod(stat.S_IRWXU)
        shutil.rmtree(cache)
    cache.mkdir(mode=0o700)
    path.write_bytes(original)


def forged(store: bytes, text: str) -> bytes:
    """A store whose modules and pages hold other text, with digests that match."""
    header, *lines = store.split(b"\n")
    changed = []
    for line in lines:
        key, _, rest = line.partition(b" ")
        if key.startswith((b"module:", b"page:")):
            payload = json.dumps(json.loads(rest.partition(b" ")[2]) + text).encode()
            rest = digest(key, payload) + b" " + payload
        changed.append(key + b" " + rest)
    return b"\n".join([header, *changed])


@pytest.mark.parametrize("place", [".toolfold_cache", "generated/.cache", ".git/cache"])
def test_a_forged_store_inside_the_repository_is_neither_read_nor_written(
    place: str, project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".git").mkdir()
    planted = project / place / store_of(cache).name
    planted.parent.mkdir(parents=True)
    planted.write_bytes(forged(store_of(cache).read_bytes(), "\nimport os\nos.abort()\n"))
    before, store = snapshot(project / "generated/demo"), planted.read_bytes()
    monkeypatch.setenv("TOOLFOLD_CACHE", str(planted.parent))
    (project / "generated/demo/models/one.py").unlink()

    generate(project)

    assert snapshot(project / "generated/demo") == before
    assert planted.read_bytes() == store


def test_links_and_pipes_where_older_versions_kept_a_cache_are_left_alone(
    project: Path, tmp_path: Path
) -> None:
    target = tmp_path / "chosen"
    target.write_bytes(b"mine")
    old = project / ".toolfold_cache"
    old.mkdir()
    (old / "manifest.schema.json").symlink_to(target)
    os.mkfifo(old / "pieces.sqlite")

    assert_works(project)

    assert target.read_bytes() == b"mine"
    assert (old / "manifest.schema.json").is_symlink()
    assert sorted(path.name for path in old.iterdir()) == ["manifest.schema.json", "pieces.sqlite"]


def test_tampered_output_is_found_whatever_a_store_in_the_clone_says(
    project: Path, cache: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(project, clone)
    (clone / ".toolfold_cache").mkdir()
    shutil.copy(store_of(cache), clone / ".toolfold_cache")
    module = clone / "generated/demo/models/one.py"
    module.write_text(module.read_text(encoding="utf-8") + "import os\n", encoding="utf-8")

    done = toolfold(clone, "check")

    assert done.code == 1
    assert "generated/demo/models/one.py: out of date (+0 -1)" in done.out


def test_a_store_that_another_process_holds_open_is_replaced(project: Path, cache: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with store_of(cache).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert_works(project)


def test_a_refused_manifest_leaves_the_store_as_it_was(project: Path, cache: Path) -> None:
    before = store_of(cache).read_bytes()
    broken = small_manifest("one")
    broken["tools"]["one"]["category"] = "none"
    write_manifest(project, broken)

    assert toolfold(project, "generate").code == 1
    assert store_of(cache).read_bytes() == before


def test_without_a_cache_nothing_is_stored(tmp_path: Path, cache: Path) -> None:
    write_manifest(tmp_path / "fresh", small_manifest("one"))

    generate(tmp_path / "fresh", "--no-cache")

    assert not cache.exists()
    assert sorted(p.name for p in (tmp_path / "fresh").iterdir()) == ["generated", "tools.yaml"]


def test_a_check_of_what_did_not_change_writes_nothing(project: Path, cache: Path) -> None:
    before, store = snapshot(project), store_of(cache).stat().st_mtime_ns

    done = toolfold(project, "check")

    assert (done.code, done.out) == (0, "")
    assert snapshot(project) == before
    assert store_of(cache).stat().st_mtime_ns == store


def test_a_store_belongs_to_its_user_alone(cache: Path, project: Path) -> None:
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE(store_of(cache).stat().st_mode) == 0o600
    assert project.is_dir()


@pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="only root gives away")
def test_a_store_of_another_user_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.memo"
    mine = FileStore(path, "f")
    mine.put("page:1", '"text"')
    mine.save()
    assert FileStore(path, "f").get("page:1") == '"text"'
    os.chown(path, 12345, 12345)

    assert FileStore(path, "f").get("page:1") is None


def test_a_store_in_the_repository_around_a_submodule_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outer/.git").mkdir(parents=True)
    inner = tmp_path / "outer/inner"
    write_manifest(inner, small_manifest("one"))
    (inner / ".git").write_text("gitdir: ../.git/modules/inner", encoding="utf-8")
    monkeypatch.setenv("TOOLFOLD_CACHE", str(tmp_path / "outer/cache"))

    generate(inner)

    assert not (tmp_path / "outer/cache").exists()


@pytest.mark.parametrize(
    "record", [b"\xff", b"[" * 200_000, b'{"inputs":[],"patterns":["/x"]}', b'{"inputs":5}', b"[]"]
)
def test_a_forged_record_of_the_last_run_means_compiling(
    record: bytes, project: Path, cache: Path
) -> None:
    header, *lines = store_of(cache).read_bytes().split(b"\n")
    keys = [line.partition(b" ")[0] for line in lines]
    forged_lines = [
        b" ".join([key, digest(key, record), record]) if key.startswith(b"run:") else line
        for key, line in zip(keys, lines, strict=True)
    ]
    store_of(cache).write_bytes(b"\n".join([header, *forged_lines]))

    assert toolfold(project, "check").code == 0
