"""Log messages to clients that ask for them: what, from which level on, in which order."""

import asyncio
import json
from typing import Any, Final

import pytest
from toolfold_runtime import log, progress
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.call import CallContext
from toolfold_runtime.running.notifications import ClientLog

from tests.running.material import Served, tool
from tests.serving.messages import call_in, events, headers_in
from tests.support.clients import ERAS, MODERN, Era
from tests.support.projects import Json, Project, served_by
from tests.support.servers import Stdio, listening, text_of

LEVELS: Final = (
    *("debug", "info", "notice", "warning"),
    *("error", "critical", "alert", "emergency"),
)

NAMES: Final = (
    *("levels", "blocking", "own", "thread", "late", "flood", "odd", "fails", "mixed"),
    *("hangs", "hangs_blocking"),
)
IMPLEMENTATION: Final = """
import asyncio, contextvars, logging, sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "venv/site-packages"))
import noisy
from toolfold_runtime import log, progress

logger = logging.getLogger(__name__)
strict = logging.getLogger("strict")
strict.setLevel("WARNING")


class Odd:
    def __str__(self):
        raise RuntimeError("no text")


class Tools:
    async def levels(self, params):
        for level in (5, 10, 20, 25, 30, 40, 50, 60, 70):
            logger.log(level, "at %d", level)
        log.debug("seen", rows=3)
        log.error("seen")
        return "done"

    def blocking(self, params):
        return asyncio.run(self.levels(params))

    def own(self, params):
        noisy.speak()
        logging.getLogger("toolfold").error("of the server")
        strict.info("not wanted by its author")
        strict.warning("wanted")
        try:
            raise ValueError("secret")
        except ValueError:
            logger.exception("failed")
        return "done"

    def thread(self, params):
        for run in (contextvars.copy_context().run, lambda function: function()):
            thread = threading.Thread(target=run, args=(lambda: logger.warning("in a thread"),))
            thread.start()
            thread.join()
        return "done"

    async def late(self, params):
        self.task = asyncio.create_task(self._go_on())
        return "done"

    async def _go_on(self):
        await asyncio.sleep(0.05)
        logger.warning("too late")

    def flood(self, params):
        for number in range(20_000):
            log.warning("flood", number=number)
        return "done"

    async def odd(self, params):
        logger.warning("half \\ud800")
        logger.warning("x" * 1_000_000)
        logger.warning("%d", "x")
        log.warning("odd", odd=Odd(), half="\\ud800", nan=float("nan"), event=1)
        log.warning("%s %d")
        logging.getLogger("half \\ud800" + "x" * 5_000).warning("of a logger")
        return "done"

    def fails(self, params):
        logger.warning("before")
        raise ValueError("secret")

    async def hangs(self, params):
        logger.warning("before")
        await asyncio.Event().wait()

    def hangs_blocking(self, params):
        logger.warning("before")
        threading.Event().wait()

    async def mixed(self, params):
        for number in range(1, 6):
            progress(number, 5)
            logger.warning("after %d", number)
        return "done"
"""
NOISY: Final = """
import logging


def speak():
    logging.getLogger(__name__).warning("library warning")
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    tools = {name: tool(timeout=1 if "hangs" in name else 60) for name in NAMES}
    project = served_by(tmp_path_factory.mktemp("heard"), tools, IMPLEMENTATION)
    library = project.folder / "venv/site-packages/noisy.py"
    library.parent.mkdir(parents=True)
    library.write_text(NOISY, encoding="utf-8")
    return project


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    era: Era = request.param
    return era


class Hearing(Stdio):
    """A client of either era over stdio; all that comes is collected in its order."""

    def __init__(self, *arguments: Any, **more: str) -> None:
        self.messages: list[Json] = []
        super().__init__(*arguments, **more)

    def take(self, line: str) -> None:
        super().take(line)
        self.messages.append(json.loads(line))


def talk(server: Hearing, era: Era, name: str, level: str | None) -> list[Json]:
    """What comes from a call on to its answer."""
    meta: Json = {"progressToken": "p"}
    if era == MODERN:
        meta |= {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        meta |= {"io.modelcontextprotocol/logLevel": level} if level else {}
    elif level:
        number = f"level {len(server.messages)}"
        assert server.request(number, "logging/setLevel", level=level) == {}
    first = len(server.messages)
    params = {"name": name, "arguments": {}, "_meta": meta}
    server.send({"id": first, "method": "tools/call", "params": params})
    server.wait(first)
    return server.messages[first:]


class Modern(Hearing):
    """Without a handshake."""

    def greet(self, **capabilities: Json) -> Json:
        return {}


def heard(
    made: Project, era: Era, name: str, level: str | None, *options: str
) -> list[tuple[str, str, Any]]:
    """The level, logger and data of the messages that come during a call."""
    kind = Modern if era == MODERN else Hearing
    with kind.of(made, *options) as server:
        messages = talk(server, era, name, level)
        assert server.end() == 0
    assert "result" in messages[-1], "nothing comes after the answer"
    return [
        (note["params"]["level"], note["params"]["logger"], note["params"]["data"])
        for note in messages
        if note.get("method") == "notifications/message"
    ]


@pytest.mark.parametrize("name", ["levels", "blocking"])
def test_a_client_hears_what_the_author_logs(name: str, era: Era, made: Project) -> None:
    at = zip(("debug", *LEVELS), (5, 10, 20, 25, 30, 40, 50, 60, 70), strict=True)

    assert heard(made, era, name, "debug") == [
        *((level, "implementation", f"at {number}") for level, number in at),
        ("debug", "implementation", {"event": "seen", "rows": 3}),
        ("error", "implementation", "seen"),
    ]


@pytest.mark.parametrize("level", LEVELS)
def test_a_client_hears_from_its_level_on(level: str, made: Project) -> None:
    wanted = LEVELS[LEVELS.index(level) :]

    for era in ERAS:
        assert {message[0] for message in heard(made, era, "levels", level)} == set(wanted)


def test_who_does_not_ask_hears_nothing(era: Era, made: Project) -> None:
    assert heard(made, era, "levels", None, "--log-level", "debug") == []


def test_the_servers_level_is_not_the_clients(era: Era, made: Project) -> None:
    with (Modern if era == MODERN else Hearing).of(made, "--log", "json") as server:
        messages = talk(server, era, "levels", "info")
        assert server.end() == 0

    assert len(messages) == 9
    events = [json.loads(line)["event"] for line in server.err.lines]
    assert events == ["at 30", "at 40", "at 50", "at 60", "at 70", "seen"]


def test_neither_libraries_nor_the_server_nor_tracebacks_are_sent(era: Era, made: Project) -> None:
    assert heard(made, era, "own", "debug", "--log-level", "debug") == [
        ("warning", "strict", "wanted"),
        ("error", "implementation", "failed"),
    ]


def test_threads_that_carry_the_context_are_heard(era: Era, made: Project) -> None:
    assert heard(made, era, "thread", "debug") == [("warning", "implementation", "in a thread")]


def test_what_comes_after_the_answer_is_only_logged(era: Era, made: Project) -> None:
    with (Modern if era == MODERN else Hearing).of(made) as server:
        talk(server, era, "late", "debug")
        server.wait_for_word("too late")
        assert server.end() == 0

    assert "result" in server.messages[-1]


@pytest.mark.parametrize("name", ["fails", "hangs", "hangs_blocking"])
def test_a_call_that_fails_is_heard_before_its_answer(name: str, era: Era, made: Project) -> None:
    assert heard(made, era, name, "debug") == [("warning", "implementation", "before")]


def test_log_messages_and_progress_come_in_order(era: Era, made: Project) -> None:
    with (Modern if era == MODERN else Hearing).of(made) as server:
        messages = talk(server, era, "mixed", "debug")
        assert server.end() == 0

    order = [
        note["params"].get("data") or note["params"]["progress"]
        for note in messages
        if "method" in note
    ]
    assert order == [item for n in range(1, 6) for item in (n, f"after {n}")]


def test_odd_messages_are_sent_as_far_as_they_can_be(era: Era, made: Project) -> None:
    *messages, last = heard(made, era, "odd", "debug")

    assert last == ("warning", "half ?" + "x" * 994, "of a logger")
    odd = {"event": "odd", "odd": "<Odd that has no text>", "half": "?", "nan": "nan", "event_": 1}
    assert [data for _, _, data in messages] == [
        "half ?",
        "x" * 1_000,
        "%d (TypeError when its message was made)",
        odd,
        "%s %d",
    ]


def test_of_a_flood_the_number_of_omitted_messages_is_told(era: Era, made: Project) -> None:
    messages = heard(made, era, "flood", "warning")

    numbers = [data["number"] for _, logger, data in messages if logger != "toolfold"]
    notes = [data for _, logger, data in messages if logger == "toolfold"]
    assert numbers == sorted(set(numbers))
    assert all(note.endswith("were left out: they came too fast to be sent") for note in notes)
    omitted = [int(note.split()[0].replace(",", "")) for note in notes]
    assert sum(omitted) + len(numbers) == 20_000


def test_a_level_is_that_of_its_connection(made: Project) -> None:
    with Hearing.of(made) as first, Hearing.of(made) as second:
        assert len(talk(first, "legacy", "levels", "error")) == 6
        assert len(talk(second, "legacy", "levels", None)) == 1
        assert len(talk(first, "legacy", "levels", "emergency")) == 2


def test_an_unknown_level_is_refused(made: Project) -> None:
    with Hearing.of(made) as server:
        server.send({"id": 1, "method": "logging/setLevel", "params": {"level": "loud"}})
        assert server.wait(1)[0]["error"]["code"] == -32602


def test_a_server_says_that_it_logs(made: Project) -> None:
    with Hearing.of(made) as server:
        hello = server.answers["hello"][0]["result"]

    assert hello["capabilities"]["logging"] == {}


def test_over_stateless_http_an_older_client_may_ask_and_hears_nothing(made: Project) -> None:
    with listening(made) as server:
        level = {"id": 1, "method": "logging/setLevel", "params": {"level": "debug"}}
        call = {"id": 2, "method": "tools/call", "params": {"name": "levels", "arguments": {}}}
        answers = [server.post({"jsonrpc": "2.0"} | message) for message in (level, call)]

    assert answers[0].json["result"] == {}
    assert text_of(answers[1].json) == "done"


def test_over_http_a_modern_client_hears_what_it_asks_for(made: Project) -> None:
    level = {"io.modelcontextprotocol/logLevel": "warning"}
    with listening(made) as server:
        asking, silent = (
            server.post(call_in(MODERN, "levels", meta), **headers_in(MODERN, "levels"))
            for meta in (level, {})
        )

    *logged, answer = events(asking.body)
    assert [message["params"]["level"] for message in logged] == (
        ["warning", "error", "critical", "alert", "emergency", "error"]
    )
    assert text_of(answer) == text_of(silent.json) == "done"


# In this process


def test_a_client_that_does_not_read_delays_only_its_own_answer(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tools = {"cached": tool(cache={"ttl": 60}), "quick": tool()}
    served = Served(tmp_path_factory.mktemp("slow"), tools)
    reads = asyncio.Event()

    async def send(level: int, logger: str, data: object) -> None:
        await reads.wait()

    class Tools:
        async def cached(self, params: Any) -> str:
            log.info("said")
            progress(1)
            await asyncio.sleep(0.01)
            return "result"

        async def quick(self, params: Any) -> str:
            return "quick"

    async def called(door: Dispatcher) -> list[str]:
        context = CallContext(log=ClientLog(0, send))
        first = asyncio.ensure_future(door.call("cached", {}, context))
        await asyncio.sleep(0)
        second = await door.call("cached", {})  # shares its execution
        other = await door.call("quick", {})
        assert not first.done()
        reads.set()
        return [*second.texts, *other.texts, *(await first).texts]

    assert served.run(Tools(), called) == ["result", "quick", "result"]


def test_a_message_that_cannot_be_sent_fails_no_call(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    served = Served(tmp_path_factory.mktemp("gone"), {"says": tool()})

    async def send(level: int, logger: str, data: object) -> None:
        raise ConnectionError("gone")

    class Tools:
        def says(self, params: Any) -> str:
            for _ in range(10):
                log.error("said")
            return "done"

    async def called(door: Dispatcher) -> tuple[str, ...]:
        return (await door.call("says", {}, CallContext(log=ClientLog(0, send)))).texts

    assert served.run(Tools(), called) == ("done",)
