"""What authors log: in the server's log, in its format and from its level on."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.running.material import tool
from tests.support.commands import toolfold_process
from tests.support.projects import Json, Project, served_by
from tests.support.servers import Stdio, listening, text_of

TOOLS: Final = {
    name: tool(timeout=1 if name == "hang" else 60)
    for name in ("levels", "library", "facts", "fail", "odd", "hang", "after", "outside")
}
IMPLEMENTATION: Final = """
import logging, sys, threading, time
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "venv/site-packages"))
import noisy
from toolfold_runtime import log

logger = logging.getLogger(__name__)
logger.warning("imported")


class Worse:
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


class Slow(Worse):
    def __str__(self):
        threading.Event().wait()


class Tools:
    def __init__(self):
        logger.warning("made")

    async def start(self):
        print("printed while it starts", flush=True)
        log.warning("started", by=self)

    async def levels(self, params):
        logger.debug("debug %s", 1)
        logger.info("info %s", 2)
        logging.getLogger("shop.orders").warning("warning %s", 3)
        logging.error("error %s", 4)
        log.debug("debug")
        log.info("info")
        log.warning("warning")
        log.error("error")
        return "done"

    def library(self, params):
        noisy.speak()
        return "done"

    def facts(self, params):
        log.warning("stored", rows=3, tags=["a", None], time="noon", level=1, event="x", logger=2)
        return "done"

    def fail(self, params):
        try:
            raise ValueError("x" * 100_000)
        except ValueError:
            logger.exception("failed")
        return "done"

    def odd(self, params):
        logger.warning("%d", "no number")
        logger.warning("two %s %s", 1)
        logger.warning(Worse())
        logger.warning("%s", Worse())
        logger.warning("half \\ud800 \\x1b[31m\\nnext")
        logger.warning("long " + "x" * 1_000_000)
        logger.warning("claims", extra={"facts": 5, "trace": 6})
        logger.error("nothing", exc_info=(None, None, None))
        log.warning("odd", worse=Worse(), nan=float("nan"), big=10**400, own=self, half="\\ud800",
                    many=list(range(1000)), deep=[[[[[[[1]]]]]]], text="x" * 1_000_000)
        log.warning("much", **{f"k{n}": "x" * 1000 for n in range(1000)})
        log.warning(Worse())
        endless = []
        endless.append(endless)
        log.warning("endless", endless=endless)
        return "done"

    def hang(self, params):
        logger.warning("%s", Slow())

    def after(self, params):
        def go_on():
            time.sleep(0.05)
            logger.warning("gone on")

        threading.Thread(target=go_on).start()
        return "done"

    def outside(self, params):
        thread = threading.Thread(target=log.warning, args=("from a thread",))
        thread.start()
        thread.join()
        return "done"
"""
NOISY: Final = """
import logging

logger = logging.getLogger(__name__)


def speak():
    logger.debug("library debug")
    logger.info("library info")
    logger.warning("library warning")
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = served_by(tmp_path_factory.mktemp("logged"), TOOLS, IMPLEMENTATION)
    library = project.folder / "venv/site-packages/noisy.py"
    library.parent.mkdir(parents=True)
    library.write_text(NOISY, encoding="utf-8")
    return project


def logged(made: Project, tool: str, *options: str) -> list[Json]:
    """The lines of the log of a server that was called once, but for those of its start."""
    return [line for line in all_logged(made, tool, *options) if line["event"] not in BEGINNING]


BEGINNING: Final = ("imported", "made", "printed while it starts", "started")


def all_logged(made: Project, tool: str, *options: str) -> list[Json]:
    lines = text_lines(made, tool, "--log", "json", *options)
    return [json.loads(line) if line.startswith("{") else {"event": line} for line in lines]


def text_lines(made: Project, tool: str, *options: str) -> list[str]:
    with Stdio.of(made, *options) as server:
        server.call(1, tool)
        assert text_of(server.wait(1)[0]) == "done"
        assert server.end() == 0
    return [line.rstrip("\n") for line in server.err.lines]


@pytest.mark.parametrize(
    ("level", "events"),
    [
        ("error", ["error 4", "error"]),
        ("warning", ["warning 3", "error 4", "warning", "error"]),
        ("info", ["info 2", "warning 3", "error 4", "info", "warning", "error"]),
        (
            "debug",
            ["debug 1", "info 2", "warning 3", "error 4", "debug", "info", "warning", "error"],
        ),
    ],
)
def test_the_level_of_the_log_holds_for_authors(
    level: str, events: list[str], made: Project
) -> None:
    lines = logged(made, "levels", "--log-level", level)

    logged_events = [line["event"] for line in lines if "logger" in line]
    assert logged_events == events
    # Nothing of what carries the server is heard, at any level.
    known = {"implementation", "shop.orders", "root"}
    assert {line["logger"] for line in lines if "logger" in line} <= known


def test_a_line_has_its_logger_and_level_in_both_formats(made: Project) -> None:
    line = logged(made, "levels")[0]
    texts = text_lines(made, "levels", "--log", "text")

    assert {key: line[key] for key in ("level", "logger", "event")} == {
        "level": "warning",
        "logger": "shop.orders",
        "event": "warning 3",
    }
    assert "warning: shop.orders: warning 3" in texts
    assert "error: root: error 4" in texts


def test_the_log_begins_with_the_authors_code(made: Project) -> None:
    lines = all_logged(made, "levels")

    assert [line["event"] for line in lines[:4]] == list(BEGINNING)
    assert [line.get("logger") for line in lines[:4]] == ["implementation"] * 2 + [
        None,
        "implementation",
    ]
    assert lines[3]["by"].startswith("<implementation.Tools object at ")


@pytest.mark.parametrize("level", ["warning", "debug"])
def test_of_a_library_only_warnings_are_logged(level: str, made: Project) -> None:
    lines = logged(made, "library", "--log-level", level)

    assert [line["event"] for line in lines if line.get("logger") == "noisy"] == ["library warning"]


def test_facts_stand_beside_the_event(made: Project) -> None:
    (line,) = logged(made, "facts")
    texts = text_lines(made, "facts", "--log", "text")

    assert (line["level"], line["event"], line["logger"]) == (
        "warning",
        "stored",
        "implementation",
    )
    assert (line["rows"], line["tags"]) == (3, ["a", None])
    assert (line["time_"], line["level_"], line["event_"], line["logger_"]) == ("noon", 1, "x", 2)
    assert any("stored rows=3 tags=['a', None] time=noon" in text for text in texts)


def test_a_traceback_is_bounded(made: Project) -> None:
    (line,) = logged(made, "fail")

    assert line["event"] == "failed"
    assert line["trace"].startswith("Traceback (most recent call last):")
    assert 1_000 < len(line["trace"]) < 21_000


@pytest.mark.parametrize("format_", ["json", "text"])
def test_whatever_is_logged_there_is_a_line(format_: str, made: Project) -> None:
    text = "\n".join(text_lines(made, "odd", "--log", format_))

    for words in (
        "%d (TypeError when its message was made)",
        "two %s %s (TypeError when its message was made)",
        "<Worse that has no text> (RuntimeError when its message was made)",
        "%s (RuntimeError when its message was made)",
        "half ?",
        "claims",
        "nothing",
        "<Worse that has no text>",
        "endless",
        "much",
    ):
        assert words in text
    assert "\x1b" not in text
    assert "Logging error" not in text
    assert len(text) < 200_000


def test_odd_facts_are_plain(made: Project) -> None:
    lines = {line["event"]: line for line in logged(made, "odd")}

    odd = lines["odd"]
    assert (odd["worse"], odd["nan"], odd["half"]) == ("<Worse that has no text>", "nan", "?")
    assert odd["big"].startswith("<int") or odd["big"].startswith("1000")
    assert odd["many"] == list(range(20))
    assert odd["deep"] == [[["[[[[1]]]]"]]]
    assert len(odd["text"]) == 1_001
    assert len(lines["much"]["facts"]) < 21_000


def test_a_text_that_is_never_made_holds_up_nobody(made: Project) -> None:
    with Stdio.of(made) as server:
        server.call(1, "hang")
        server.call(2, "levels")
        server.call(3, "fail")
        hung, *others = server.wait(1, 2, 3)
        assert text_of(hung).startswith("timeout: ")
        assert [text_of(answer) for answer in others] == ["done", "done"]
        server.wait_for_word("failed")
        assert server.end() == 0


def test_threads_are_heard_during_and_after_a_call(made: Project) -> None:
    with Stdio.of(made) as server:
        for number, name in enumerate(("after", "outside")):
            server.call(number, name)
        server.wait(0, 1)
        server.wait_for_word("gone on")
        server.wait_for_word("from a thread")
        assert server.end() == 0


def test_try_logs_for_people(made: Project) -> None:
    tried = toolfold_process(made.folder, "try", "facts")

    assert tried.out == "done\n"
    assert "warning: implementation: stored rows=3" in tried.err


# Handlers of the author's own

SETTINGS: Final[dict[str, tuple[str, str, list[str]]]] = {
    "basicConfig": (
        "logging.basicConfig(level='INFO', format='mine %(message)s')",
        "",
        ["mine said", "mine told"],
    ),
    "basicConfig in start": (
        "",
        "logging.basicConfig(level='INFO', format='mine %(message)s')",
        ["mine said", "mine told"],
    ),
    "by force": (
        "",
        "logging.basicConfig(level='INFO', format='mine %(message)s', force=True)",
        ["mine said", "mine told"],
    ),
    "to stdout": (
        "logging.basicConfig(format='mine %(message)s', stream=sys.stdout)",
        "",
        ["mine told"],
    ),
    "to stdout in start": (
        "",
        "logging.basicConfig(format='mine %(message)s', stream=sys.stdout)",
        ["mine told"],
    ),
    "of one logger": (
        "handler = logging.StreamHandler(); logger.addHandler(handler)",
        "",
        ["told"],
    ),
    "of one logger, for errors": (
        "handler = logging.StreamHandler(); handler.setLevel('ERROR'); logger.addHandler(handler)",
        "",
        ["warning: implementation: told"],
    ),
    "dictConfig": (
        "import logging.config; logging.config.dictConfig({'version': 1, 'handlers': {'c':"
        " {'class': 'logging.StreamHandler'}}, 'root': {'handlers': ['c'], 'level': 'INFO'}})",
        "logger.disabled = False",
        ["said", "told"],
    ),
    "to a file": (
        "logging.basicConfig(filename=Path(__file__).with_name('own.log'))",
        "",
        ["warning: implementation: told"],
    ),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_an_author_keeps_handlers_and_gets_no_line_twice(case: str, tmp_path: Path) -> None:
    at_import, at_start, expected = SETTINGS[case]
    implementation = f"""
import logging, sys
from pathlib import Path

logger = logging.getLogger(__name__)
{at_import}


class Tools:
    def start(self):
        {at_start or "pass"}

    def speak(self, params):
        logger.info("said")
        logger.warning("told")
        return "done"

    def close(self):
        raise ValueError("closed")
"""
    made = served_by(tmp_path, {"speak": tool()}, implementation)

    lines = text_lines(made, "speak", "--log", "text")

    ending = lines.index("error: close failed")  # the server's own
    assert lines[:ending] == expected
    if case == "to a file":
        written = (tmp_path / "own.log").read_text(encoding="utf-8")
        assert written == "WARNING:implementation:told\n"


def test_http_servers_log_the_same_way(made: Project) -> None:
    with listening(made, "--log", "json", "--log-level", "debug") as server:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        server.post(message | {"params": {"name": "levels", "arguments": {}}})
        server.tell_to_stop()
        server.end()

    lines: list[Any] = [json.loads(line) for line in server.err.lines if line.startswith("{")]
    loggers = {line.get("logger") for line in lines}
    assert loggers == {None, "implementation", "shop.orders", "root"}
    assert len(lines) == len(server.err.lines) - 1  # what was printed
