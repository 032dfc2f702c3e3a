"""Standard output belongs to the protocol: every byte of it is JSON-RPC."""

import functools
import json
from pathlib import Path
from typing import Final

import pytest

from tests.runtime.demo import IMPLEMENTATION, MANIFEST, PACKAGE, changed, generate
from tests.support.commands import Result, run
from tests.support.projects import Json, import_path
from tests.support.servers import Running, package_command

HELLO: Final[list[Json]] = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def call(number: int, tool: str, arguments: Json | None = None) -> Json:
    params = {"name": tool, "arguments": arguments or {}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


MODERN: Final[Json] = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
PROBE: Final[Json] = {
    "jsonrpc": "2.0",
    "id": 90,
    "method": "server/discover",
    "params": MODERN,
}
MODERN_CALL: Final[Json] = {
    **call(91, "add"),
    "params": {"name": "add", "arguments": {"a": 1}, **MODERN},
}


def talk(output: Path, messages: list[Json | str]) -> Result:
    """Send lines one by one, each after the answer to the one before; then go away."""
    with Running(package_command(PACKAGE), **import_path(output)) as server:
        for message in messages:
            server.write(message if isinstance(message, str) else json.dumps(message))
            server.write("\n")
            if isinstance(message, dict) and "id" in message:
                mark = f'"id":{message["id"]}'
                server.out.wait_until(functools.partial(has_line, server, mark), f"no {mark}")
        code = server.end()
    return Result(code, "".join(server.out.lines), server.log)


def has_line(server: Running, mark: str) -> bool:
    return any(mark in line for line in server.out.lines)


def assert_only_messages(stdout: str) -> list[Json]:
    messages = [json.loads(line) for line in stdout.splitlines()]
    assert [m for m in messages if m.get("jsonrpc") != "2.0"] == []
    return messages


def test_whatever_methods_print_every_byte_of_stdout_is_json_rpc(tmp_path: Path) -> None:
    output = generate(tmp_path, MANIFEST)
    names = ["noisy", "crash", "broken", "noisy", "nowhere", "capabilities", "run_read"]
    calls = [call(n, name) for n, name in enumerate(names, 1)]
    calls += [call(len(calls) + 1, "run_read", {"tool": "noisy"})]

    done = talk(output, [*HELLO, *calls])

    messages = assert_only_messages(done.out)
    assert [message["id"] for message in messages] == list(range(len(calls) + 1))
    assert done.code == 0
    for printed in ("printed", "flushed", "raw", "behind the back", "child"):
        assert printed in done.err, printed
    assert "ValueError: password at /etc/shadow" in done.err


def test_an_implementation_that_prints_while_it_is_imported_harms_nothing(tmp_path: Path) -> None:
    noisy = "print('while importing')\n" + IMPLEMENTATION.replace(
        "class Tools:", "class Tools:\n    def __init__(self): print('while constructed')\n"
    )
    output = generate(tmp_path, MANIFEST, noisy)

    done = talk(output, [*HELLO, call(1, "add", {"a": 1})])

    assert_only_messages(done.out)
    assert "while importing" in done.err
    assert "while constructed" in done.err


def test_a_method_that_leaves_the_process_fails_and_the_server_lives_on(tmp_path: Path) -> None:
    output = generate(tmp_path, MANIFEST)

    done = talk(output, [*HELLO, call(1, "leave"), call(2, "add", {"a": 1})])

    _, left, added = assert_only_messages(done.out)
    assert left["result"]["isError"] is True
    said = left["result"]["content"][0]["text"]
    assert said.startswith("backend_failed: leave failed with SystemExit")
    assert "password" not in said
    assert added["result"]["structuredContent"] == {"result": 3}


def test_lines_that_are_no_messages_end_nothing(tmp_path: Path) -> None:
    output = generate(tmp_path, MANIFEST)
    garbage = ["", "garbage", "[]", "{}", '{"jsonrpc":"2.0"}', '{"id":7}', "\x00", "[" * 5000]

    done = talk(output, [*HELLO, *garbage, call(1, "add", {"a": 1})])

    messages = assert_only_messages(done.out)
    answer = next(message for message in messages if message.get("id") == 1)
    assert answer["result"]["structuredContent"] == {"result": 3}


@pytest.mark.parametrize("is_answered", [True, False], ids=["after", "before"])
def test_a_client_may_shake_hands_after_or_before_it_learns_what_the_server_speaks(
    is_answered: bool, tmp_path: Path
) -> None:
    # Some give up on the answer before a server has started; all of it then waits in the pipe.
    first: list[Json | str] = [PROBE] if is_answered else [json.dumps(PROBE)]

    done = talk(generate(tmp_path, MANIFEST), [*first, *HELLO, call(1, "add", {"a": 1})])

    answers = {message["id"]: message for message in assert_only_messages(done.out)}
    assert "error" not in answers[0]
    assert answers[1]["result"]["content"][0]["text"] == "3"
    assert done.code == 0


def test_a_session_that_called_in_the_modern_way_takes_no_handshake(tmp_path: Path) -> None:
    done = talk(generate(tmp_path, MANIFEST), [PROBE, MODERN_CALL, HELLO[0]])

    answers = {message["id"]: message for message in assert_only_messages(done.out)}
    assert "error" not in answers[91]
    assert "error" in answers[0]


@pytest.mark.parametrize(
    ("implementation", "said"),
    [
        ("nowhere:Tools", "implementation nowhere:Tools: no module nowhere"),
        ("implementation:Nobody", "implementation implementation:Nobody: implementation has no"),
        ("implementation.inner:Tools", "implementation implementation.inner:Tools: no module"),
    ],
)
def test_a_server_whose_implementation_is_missing_says_so_and_ends(
    implementation: str, said: str, tmp_path: Path
) -> None:
    output = generate(tmp_path, changed(implementation=implementation))
    (tmp_path / "nowhere.py").unlink(missing_ok=True)  # which generating wrote to start from

    done = run(tmp_path, *package_command(PACKAGE), stdin="", environment=import_path(output))

    assert done.code == 1
    assert done.out == ""
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_server_without_an_implementation_discloses_and_says_so_when_called(
    tmp_path: Path,
) -> None:
    output = generate(tmp_path, changed(implementation=None))

    done = talk(output, [*HELLO, call(1, "capabilities"), call(2, "add", {"a": 1})])

    _, inventory, called = assert_only_messages(done.out)
    assert "add" in inventory["result"]["content"][0]["text"]
    assert called["result"]["isError"] is True
    assert called["result"]["content"][0]["text"] == (
        "backend_failed: add has no implementation here: the server only describes it."
    )


def test_a_failing_constructor_is_the_authors_to_see_and_not_the_clients(tmp_path: Path) -> None:
    failing = "class Tools:\n    def __init__(self): raise RuntimeError('no database')\n"
    output = generate(tmp_path, MANIFEST, failing)

    done = run(
        tmp_path,
        *package_command(PACKAGE),
        stdin=json.dumps(HELLO[0]) + "\n",
        environment=import_path(output),
    )

    assert done.code != 0
    assert done.out == ""
    assert "no database" in done.err
