"""`toolfold try` calls tools of other servers as a server would, and ends them."""

from pathlib import Path

import pytest

from tests.support.commands import toolfold
from tests.upstream.gateways import Gateway, stub_server
from tests.upstream.test_processes import is_running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gateway")
    (path / "data").mkdir()
    Gateway(path, {"stub": stub_server(cwd="data"), "gone": {"command": ["no-such-program"]}})
    return path


def test_try_prints_the_answer_and_leaves_nothing_behind(folder: Path) -> None:
    done = toolfold(folder, "try", "stub_pid", "{}")

    assert (done.code, done.out.strip().isdigit()) == (0, True)
    assert not is_running(done.out.strip())


def test_try_fails_where_the_tool_says_that_it_failed(folder: Path) -> None:
    done = toolfold(folder, "try", "stub::fail", "{}")

    assert done.code == 1
    assert "the disk is full; delete something" in done.text


def test_try_says_why_a_server_cannot_be_used(folder: Path) -> None:
    done = toolfold(folder, "try", "gone_echo", "{}")

    assert done.code == 1
    assert "backend_failed: gone: no-such-program cannot be started" in done.text


def test_try_describes_what_is_no_text(folder: Path) -> None:
    picture, strange = (
        toolfold(folder, "try", f"stub_{name}", "{}") for name in ("picture", "strange")
    )

    assert picture.out.splitlines() == ["image/png, 70 bytes", "link to file:///x (x)"]
    assert strange.out.startswith("hologram, ")
