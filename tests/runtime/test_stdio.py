"""Standard output belongs to the protocol: every byte of it is JSON-RPC."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Final

import pytest

from tests.runtime.demo import IMPLEMENTATION, MANIFEST, PACKAGE, changed, generate

Json = dict[str, Any]

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


def environment(output: Path) -> dict[str, str]:
    """As clients start servers: what is printed is buffered."""
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    return {**inherited, "PYTHONPATH": str(output)}


def call(number: int, tool: str, arguments: Json | None = None) -> Json:
    params = {"name": tool, "arguments": arguments or {}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def talk(output: Path, messages: list[Json | str]) -> subprocess.CompletedProcess[str]:
    """Send lines one by one, each after the answer to the one before; then go away."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"{PACKAGE}.server"],
        env=environment(output),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    # A server that never answers fails the test instead of holding it.
    watchdog = threading.Timer(30, process.kill)
    watchdog.start()
    heard = []
    for message in messages:
        line = message if isinstance(message, str) else json.dumps(message)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(line + "\n")
            process.stdin.flush()
        if isinstance(message, dict) and "id" in message:
            while True:
                heard.append(process.stdout.readline())
                if not heard[-1] or f'"id":{message["id"]}' in heard[-1]:
                    break
    rest, said = process.communicate()
    watchdog.cancel()
    return subprocess.CompletedProcess([], process.returncode, "".join(heard) + rest, said)


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

    messages = assert_only_messages(done.stdout)
    assert [message["id"] for message in messages] == list(range(len(calls) + 1))
    assert done.returncode == 0
    for printed in ("printed", "flushed", "raw", "behind the back", "child"):
        assert printed in done.stderr, printed
    assert "ValueError: password at /etc/shadow" in done.stderr


def test_an_implementation_that_prints_while_it_is_imported_harms_nothing(tmp_path: Path) -> None:
    noisy = "print('while importing')\n" + IMPLEMENTATION.replace(
        "class Tools:", "class Tools:\n    def __init__(self): print('while constructed')\n"
    )
    output = generate(tmp_path, MANIFEST, noisy)

    done = talk(output, [*HELLO, call(1, "add", {"a": 1})])

    assert_only_messages(done.stdout)
    assert "while importing" in done.stderr
    assert "while constructed" in done.stderr


def test_a_method_that_leaves_the_process_fails_and_the_server_lives_on(tmp_path: Path) -> None:
    output = generate(tmp_path, MANIFEST)

    done = talk(output, [*HELLO, call(1, "leave"), call(2, "add", {"a": 1})])

    _, left, added = assert_only_messages(done.stdout)
    assert left["result"]["isError"] is True
    said = left["result"]["content"][0]["text"]
    assert said.startswith("backend_failed: leave failed with SystemExit")
    assert "password" not in said
    assert added["result"]["structuredContent"] == {"result": 3}


def test_lines_that_are_no_messages_end_nothing(tmp_path: Path) -> None:
    output = generate(tmp_path, MANIFEST)
    garbage = ["", "garbage", "[]", "{}", '{"jsonrpc":"2.0"}', '{"id":7}', "\x00", "[" * 5000]

    done = talk(output, [*HELLO, *garbage, call(1, "add", {"a": 1})])

    messages = assert_only_messages(done.stdout)
    answer = next(message for message in messages if message.get("id") == 1)
    assert answer["result"]["structuredContent"] == {"result": 3}


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

    done = subprocess.run(
        [sys.executable, "-m", f"{PACKAGE}.server"],
        env=environment(output),
        input="",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 1
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_server_without_an_implementation_discloses_and_says_so_when_called(
    tmp_path: Path,
) -> None:
    output = generate(tmp_path, changed(implementation=None))

    done = talk(output, [*HELLO, call(1, "capabilities"), call(2, "add", {"a": 1})])

    _, inventory, called = assert_only_messages(done.stdout)
    assert "add" in inventory["result"]["content"][0]["text"]
    assert called["result"]["isError"] is True
    assert called["result"]["content"][0]["text"] == (
        "backend_failed: add has no implementation here: the server only describes it."
    )


def test_a_failing_constructor_is_the_authors_to_see_and_not_the_clients(tmp_path: Path) -> None:
    failing = "class Tools:\n    def __init__(self): raise RuntimeError('no database')\n"
    output = generate(tmp_path, MANIFEST, failing)

    done = subprocess.run(
        [sys.executable, "-m", f"{PACKAGE}.server"],
        env=environment(output),
        input=json.dumps(HELLO[0]) + "\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode != 0
    assert done.stdout == ""
    assert "no database" in done.stderr
