"""Programs that attack: what holds them, each sent through a real client to one server.

A program may fail in any way that is its own; what must not happen is that it gets out, takes more
than it may, or keeps the server from answering the next one.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.code.conftest import Run
from tests.code.material import IMPLEMENTATION, MANIFEST, TOOLS
from tests.code.workers import peak_megabytes, workers_of
from tests.support import clients
from tests.support.clients import Answer
from tests.support.projects import served_by
from tests.support.servers import Listening, listening

#: A program and what its answer must match, or the value that it must have.
ATTACKS: Final[dict[str, tuple[str, str]]] = {
    # Time
    "endless loop": ("while True: pass", r"timeout: "),
    "endless loop that catches everything": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        r"timeout: ",
    ),
    "endless loop in a finally": (
        "def f():\n    try:\n        while True: pass\n    finally:\n        while True: pass\nf()",
        r"timeout: ",
    ),
    "endless comprehension": ("[0 for a in range(10**9) if a < 0]", r"timeout: "),
    "endless recursion that is caught": (
        "def f():\n    try:\n        f()\n    except RecursionError:\n        f()\nf()",
        r"(timeout|program_failed: RecursionError)",
    ),
    "a pattern that backtracks": (
        "import re\nre.match('(a+)+$', 'a' * 40 + 'b') is None",
        r"(\{\"result\":true|timeout|program_failed)",
    ),
    "a long sort": ("len(sorted(range(10**9)))", r"(timeout|budget_exceeded)"),
    "sleeping": ("import time\ntime.sleep(100)", r"program_failed: .*time.sleep"),
    "sleeping in asyncio": (
        "import asyncio\nawait asyncio.sleep(100)",
        r"program_failed: .*sleep",
    ),
    # Memory
    "a long list": ("[0] * 10**10", r"budget_exceeded"),
    "a list that grows": ("a = []\nwhile True: a.append('x' * 1000)", r"(budget_exceeded|timeout)"),
    "a list that doubles": ("a = [0]\nwhile True: a += a", r"budget_exceeded"),
    "a long text": ("'a' * 10**12", r"budget_exceeded"),
    "a text that doubles": ("a = 'ab'\nwhile True: a += a", r"budget_exceeded"),
    "a large dict": ("{n: n for n in range(10**9)}", r"(budget_exceeded|timeout)"),
    "a large number": ("9**9**9", r"budget_exceeded"),
    "a large shift": ("1 << 10**12", r"budget_exceeded"),
    "a factorial": (
        "import math\nmath.factorial(10**7)",
        r"(timeout|budget_exceeded|program_failed)",
    ),
    "a padded text": ("f'{1:>10000000000}'", r"(budget_exceeded|program_failed)"),
    "a format width": ("'%10000000000d' % 1", r"(budget_exceeded|program_failed|invalid_program)"),
    "a range as a list": ("list(range(10**9))", r"(budget_exceeded|timeout)"),
    "a product": (
        "import itertools\nlist(itertools.product(range(1000), repeat=5))",
        r"(budget_exceeded|timeout|program_failed)",
    ),
    "a memory error that is caught": (
        "try:\n    [0] * 10**10\nexcept BaseException:\n    pass\n7",
        r"(budget_exceeded|\{\"result\":7)",
    ),
    "replaced again and again": ("'ab'.replace('', 'x' * 10**6) * 10**6", r"budget_exceeded"),
    # Depth
    "recursion": ("def f(n): return f(n + 1)\nf(0)", r"program_failed: RecursionError"),
    "5,000 parentheses": ("(" * 5_000 + "1" + ")" * 5_000, r"invalid_program"),
    "90,000 minus signs": ("-" * 90_000 + "1", r"invalid_program"),
    "deep JSON": ("import json\njson.loads('[' * 90000)", r"program_failed"),
    "a deep list as an argument": (
        "a = []\nfor n in range(10**4): a = [a]\necho(value=a)",
        r"invalid_arguments: echo: value.* has more than 100 levels",
    ),
    # Out of the sandbox
    "classes": ("().__class__.__bases__[0].__subclasses__()", r"(program_failed|invalid_program)"),
    "the globals of a function": (
        "def f(): pass\nf.__globals__",
        r"(program_failed|invalid_program)",
    ),
    "the code of a function": ("def f(): pass\nf.__code__", r"(program_failed|invalid_program)"),
    "the globals of a tool": ("find_orders.__globals__", r"(program_failed|invalid_program)"),
    "builtins": ("__builtins__", r"(program_failed|invalid_program)"),
    "import by name": ("__import__('os')", r"(program_failed|invalid_program)"),
    "the modules of the host": ("import sys\nsys.modules", r"(program_failed|invalid_program)"),
    "attributes by a format": ("'{0.__class__.__init__.__globals__}'.format(7)", r"program_failed"),
    "the frame of an error": (
        "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame",
        r"(program_failed|invalid_program)",
    ),
    "eval": ("eval('().__class__.__mro__')", r"(program_failed|invalid_program)"),
    "exec of an import": ("exec('import subprocess')", r"(program_failed|invalid_program)"),
    "compile": ("compile('1', 'x', 'eval')", r"(program_failed|invalid_program)"),
    "a class of three parts": ("type('A', (BaseException,), {})()", r"program_failed"),
    "the debugger": ("breakpoint()", r"program_failed: NameError"),
    "everything of a module": (
        "from os import *\nsystem('id')",
        r"(program_failed|invalid_program)",
    ),
    "what lies beside the program": ("from . import x", r"invalid_program"),
    "the implementation": ("import implementation", r"invalid_program: .*\n.*no module"),
    "ctypes": ("import ctypes", r"invalid_program: .*\n.*no module ctypes"),
    "subprocess": ("import subprocess", r"invalid_program: .*\n.*no module subprocess"),
    "socket": ("import socket", r"invalid_program: .*\n.*no module socket"),
    "a file": ("open('/etc/passwd').read()", r"program_failed: PermissionError"),
    "a file to write": (
        "open('/tmp/toolfold-attack', 'w').write('x')",
        r"program_failed: PermissionError",
    ),
    "a file by its path": (
        "from pathlib import Path\nPath('/etc/passwd').read_text()",
        r"program_failed: PermissionError",
    ),
    "a folder": ("import os\nos.listdir('/')", r"program_failed: PermissionError"),
    "a command": ("import os\nos.system('id')", r"(program_failed|invalid_program)"),
    "the environment": ("import os\nos.environ['HOME']", r"program_failed: .*os.environ"),
    "a variable of the environment": (
        "import os\nos.getenv('HOME')",
        r"program_failed: .*os.getenv",
    ),
    "entropy of the host": ("import os\nos.urandom(8)", r"program_failed"),
    "the clock": ("import time\ntime.time()", r"program_failed: .*time.time"),
    "the date": ("import datetime\ndatetime.date.today()", r"program_failed: .*date.today"),
    "standard input": ("input()", r"(program_failed|invalid_program)"),
    "exit": ("exit()", r"(program_failed|invalid_program)"),
    "SystemExit": ("raise SystemExit", r"program_failed: SystemExit"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", r"program_failed: KeyboardInterrupt"),
    # The door
    "a tool that writes": (
        "name_order(id='attacked')",
        r"invalid_program: .*\n.*use run_code_write",
    ),
    "a tool that writes, as a value": ("f = name_order\nf(id='attacked')", r"invalid_program"),
    "a tool that writes, by its text": (
        "eval('name_order(id=\"attacked\")')",
        r"program_failed: NameError",
    ),
    "a tool that writes, by globals": (
        "globals()['name_order'](id='attacked')",
        r"(program_failed|invalid_program)",
    ),
    "a tool that writes, behind a check that is off": (
        "from typing import Any\nx: Any = 1\nif x: exec('name_order(id=\"attacked\")')",
        r"program_failed",
    ),
    "a tool that writes, in full width": ("ｎａｍｅ_ｏｒｄｅｒ(id='attacked')", r"invalid_program"),
    "a tool that writes, in a list": ("[echo, name_order][1](id='attacked')", r"invalid_program"),
    "a tool that writes, as a default": (
        "def f(go=name_order): go(id='attacked')\nf()",
        r"invalid_program",
    ),
    "a tool that writes, as a decorator": ("@name_order\ndef f(): pass", r"invalid_program"),
    "a tool that writes, after what never returns for the checker": (
        "from typing import NoReturn\ndef stop() -> NoReturn:\n    return None\n"
        "stop()\nname_order(id='attacked')",
        r"program_failed: NameError",
    ),
    "a tool that writes, where no checker looks": (
        "from typing import TYPE_CHECKING\nif not TYPE_CHECKING:\n    name_order(id='attacked')",
        r"program_failed: NameError",
    ),
    "a tool that writes, as an attribute": (
        "getattr(echo, 'name_order')(id='attacked')",
        r"program_failed: AttributeError",
    ),
    "a meta-tool": (
        "run_write(tool='name_order', arguments={'id': 'attacked'})",
        r"invalid_program",
    ),
    "itself": ("run_code(code='1')", r"invalid_program"),
    "a host function of the sandbox": ("eval('__host__()')", r"program_failed"),
    "more calls than allowed": (
        "for n in range(60):\n    try:\n        list_()\n    except BaseException:\n        pass",
        r"budget_exceeded: more than 50 calls(.|\n)*calls made: 50",
    ),
    "scopes that the caller lacks": (
        "payroll()",
        r"forbidden: payroll needs the scope payroll:read",
    ),
    "secrets of the host in an error": ("fails()", r"backend_failed: fails failed with OSError;"),
    "a name of the private parts": ("find_orders.__self__", r"(program_failed|invalid_program)"),
    "a positional argument by star": (
        "find_orders(*['open'])",
        r"(invalid_program|invalid_arguments)",
    ),
    "an argument that is a function": ("echo(value=find_orders)", r"."),
    "an argument that is large": (
        "a = ['x' * 10**6] * 50\necho(value=a)",
        r"invalid_arguments: echo: value has more than",
    ),
    "an argument that is not finite": (
        "echo(value=float('inf'))",
        r"invalid_arguments: echo: value is inf",
    ),
    "a name of a parameter that is none": (
        "echo(**{'value': 1, '__class__': 2})",
        r"(invalid|program)",
    ),
    # The checker
    "types that double": (
        "a0 = (1, 1)\n" + "\n".join(f"a{n + 1} = (a{n}, a{n})" for n in range(40)),
        r"(budget_exceeded|timeout|backend_failed|\{\})",
    ),
    "types that double in dictionaries": (
        "x = {}\n" + "\n".join(f"x = {{'k{n}': x, 'l{n}': [x]}}" for n in range(60)),
        r"(budget_exceeded|timeout)",
    ),
    "the class that keeps the checker from running": (
        "raise Never_('x')",
        r"(program_failed: NameError|invalid_program)",
    ),
    "many branches": (
        "x = 1\n" + "\n".join(f"if x: x = {n}" for n in range(3_000)),
        r"(budget_exceeded|timeout|backend_failed|\{\})",
    ),
    "a union of thousands": (
        "def f(x):\n"
        + "\n".join(f"    if x == {n}: return {n}" for n in range(1_500))
        + "\nf(1) * f(2) * f(3)",
        r"(budget_exceeded|timeout|backend_failed|program_failed|\{)",
    ),
    "thousands of mistakes": (
        "\n".join(f"find_orders(limt={n})" for n in range(1_000)),
        r"invalid_program: (.|\n)*and more of them$",
    ),
    "thousands of findings that do no harm": (
        "rows = find_orders()\nif len(rows): rows = [[1]]\n" + "rows['a']\n" * 2_000,
        r"program_failed: TypeError",
    ),
    "thousands of long names": (
        "\n".join(f"{'v' * 60}{n} = 1" for n in range(600)) + "\n" + f"{'v' * 60}x\n" * 100,
        r"invalid_program: (.|\n)*and more of them$",
    ),
    "types turned off in a comment": (
        "# ty: ignore\nfind_orders(limt=3)  # type: ignore  # ty: ignore",
        r"invalid_program: ",
    ),
    "switches of the checker without end": (
        "#" * 45_000 + "\n" + "# " * 22_000 + "\n#" + " " * 9_000 + "type",
        r"\{\}",
    ),
    "text for the reader of the answer": (
        "raise RuntimeError('not_found: ' + 'x' * 10**6)",
        r"program_failed: RuntimeError: not_found: x+…\nline 1: raise RuntimeError",
    ),
    "nul and surrogates": ("'\\x00\\ud800'", r"\{\"result\":\"\\u0000"),
    "prints without end": (
        "for n in range(50_000): print('x' * 200)",
        r"\{\"printed\":\"x.*… \([\d,]+ more characters\)\"\}$",
    ),
    "an answer that is not its own": ("print('}' * 100)\n'{\"calls\":0}'", r"\{\"result\":"),
}
#: Attacks that go on until their time is up: on a server that gives them little of it.
ENDLESS: Final = (
    "endless loop",
    "endless loop that catches everything",
    "endless loop in a finally",
    "endless comprehension",
    "endless recursion that is caught",
    "a factorial",
    "many branches",
    "types that double in dictionaries",
    "a union of thousands",
)
_SECONDS: Final = 0.4
#: Beside its own values, of which a program may have 64 MB.
_BESIDE: Final = 64


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    bounds = MANIFEST | {"execution": {"code": {"seconds": _SECONDS}}}
    made = served_by(tmp_path_factory.mktemp("hasty"), TOOLS, IMPLEMENTATION, **bounds)
    with listening(made) as running:
        yield running


@pytest.fixture(scope="module")
def peaks(server: Listening) -> Iterator[dict[int, int]]:
    """The most memory that each worker ever had; looked at again when all attacks are over."""
    seen: dict[int, int] = {}
    yield seen
    assert max(seen.values(), default=0) <= 64 + _BESIDE, seen


@pytest.mark.parametrize("name", [attack for attack in ATTACKS if attack not in ENDLESS])
def test_an_attack_is_held(name: str, run: Run, server: Listening, peaks: dict[int, int]) -> None:
    _is_held(name, run, server, peaks)
    # The server goes on, and nothing was written.
    assert json.loads(run("made(of='name attacked')").text)["result"] == 0


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_attack_is_held(name: str, hasty: Listening, peaks: dict[int, int]) -> None:
    def run(code: str) -> Answer:
        return clients.call(hasty.url, "run_code", {"code": code})

    _is_held(name, run, hasty, peaks)
    assert clients.call(hasty.url, "run_read", {"tool": "list"}).text == "7"


def _is_held(
    name: str, run: Callable[[str], Answer], server: Listening, peaks: dict[int, int]
) -> None:
    code, expected = ATTACKS[name]

    answer = run(code)

    peaks |= {worker: peak_megabytes(worker) for worker in workers_of(server.process.pid)}
    assert re.match(expected, answer.text), answer.text[:500]
    assert len(answer.text) < 6_000
    assert "/home/me/secret" not in answer.text
    assert not Path("/tmp/toolfold-attack").exists()
