"""`toolfold try --dry-run`: the request as a command that can be run, without a secret in it."""

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.http_api.apis import SECRET, World
from tests.http_api.recorder import recorder
from tests.support.commands import Result, toolfold
from tests.support.projects import Project

_HOSTILE: Final = "a'b\"c $(touch pwned) `touch pwned` ${SECRET} \\ %"

#: What every client sends in its own way.
_CURLS_OWN: Final = ("host", "user-agent", "accept-encoding", "connection", "content-length")


def dry_run(project: Project, tool: str, arguments: str) -> Result:
    return toolfold(project.folder, "try", tool, arguments, "--dry-run")


def test_a_dry_run_prints_the_request_and_needs_no_secret(apis: Project) -> None:
    done = dry_run(apis, "list_issues", '{"owner": "a b", "labels": ["x", "y"]}')

    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "curl --request GET \\\n"
        '  --url "http://127.0.0.1:${PORT}/v1/repos/a%20b/issues?labels=x,y" \\\n'
        "  --header 'accept: application/json, */*;q=0.1'\n"
    )


@pytest.mark.parametrize(
    ("server", "line"),
    [
        ("bearer", '--header "authorization: Bearer ${SECRET}"'),
        ("basic", '--user "ada:${SECRET}"'),
        ("header", '--header "X-Key: ${SECRET}"'),
        ("query", '--url-query "key=${SECRET}"'),
        ("cookie", '--header "cookie: sid=${SECRET}"'),
        ("tokens", "--header 'authorization: Bearer <token from "),
    ],
)
def test_credentials_are_named_and_not_shown(world: World, server: str, line: str) -> None:
    done = dry_run(world.project, f"at_{server}", '{"id": "1"}')

    assert line in done.out
    assert SECRET not in done.out


def test_what_a_call_refuses_a_dry_run_refuses(apis: Project) -> None:
    wrong = dry_run(apis, "get_item", '{"id": 5}')
    leading = dry_run(apis, "get_item", '{"id": "../x"}')

    assert (wrong.code, leading.code) == (1, 1)
    assert "invalid_arguments" in wrong.out
    assert "invalid_arguments: id: is sent in the path" in leading.out


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_item", {"name": _HOSTILE}),
        ("upload", {"note": _HOSTILE, "file": {"name": "x", "base64": "/wA="}}),
        ("by_cursor", {"cursor": _HOSTILE}),
        ("at_cookie", {"id": "x$(touch pwned)"}),
        ("head_item", {"id": "1"}),
        ("send_text", {"text": "@/etc/hostname"}),
        ("send_header", {"trace": ""}),
        ("send_header", {"trace": _HOSTILE}),
        ("pose_by_header", {"key": "stolen"}),
        ("pose_by_cookie", {"sid": "stolen"}),
        ("change_item", {}),
        ("at_target", {"limit": "[1-3]{a,b}"}),
    ],
)
def test_curl_sends_what_a_call_sends(
    world: World, tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    command = dry_run(world.project, tool, json.dumps(arguments)).out

    async def both() -> list[tuple[str, str, bytes, list[tuple[str, str]]]]:
        async with recorder() as server:
            with world.door(server) as door:
                await door.call(tool, **arguments)
                await door.backend.close()
            environment = {**os.environ, "PORT": str(server.port)}
            done = await asyncio.create_subprocess_shell(
                command,
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            assert await done.wait() == 0
            return [
                (
                    one.method,
                    one.target,
                    without_boundary(one.header("content-type"), one.body),
                    sorted(
                        (name, value.partition("boundary=")[0])
                        for name, value in one.headers
                        if name not in _CURLS_OWN
                    ),
                )
                for one in server.sent
            ]

    direct, curl = asyncio.run(both())

    assert direct == curl
    assert not list(tmp_path.iterdir())


def without_boundary(kind: str, body: bytes) -> bytes:
    """A body whose boundary, which is drawn anew each time, has another name."""
    return body.replace(kind.partition("boundary=")[2].encode() or b"\0", b"boundary")
