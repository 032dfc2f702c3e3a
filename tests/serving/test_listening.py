"""Over HTTP a server is safe by default: where it may listen, and whom it answers."""

import argparse
import socket
from pathlib import Path
from typing import Final

import pytest
from toolfold_runtime.errors import StartError
from toolfold_runtime.serving.http import listener_for
from toolfold_runtime.serving.options import ServeOptions, add_options, serve_options

from tests.disclosure.catalogs import META
from tests.serving.messages import LIST
from tests.support.commands import Result, run
from tests.support.projects import Project
from tests.support.servers import Listening, Response, free_port, serve_command

# Where it may listen


def options(*arguments: str) -> ServeOptions:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return serve_options(parser.parse_args(["--http", *arguments]))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org"])
def test_listening_to_other_machines_wants_a_verifier_or_to_be_told(
    host: str, tmp_path: Path
) -> None:
    with pytest.raises(StartError, match="reachable from other machines") as caught:
        listener_for(options("--host", host), tmp_path)

    assert str(caught.value) == (
        f"{host} is reachable from other machines: give a token verifier"
        " (--verifier, --issuer, --resource), or say --open"
    )
    assert listener_for(options("--host", host, "--open"), tmp_path).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_a_loopback_host_is_among_those_that_are_answered(host: str, tmp_path: Path) -> None:
    found = listener_for(options("--host", host), tmp_path)
    named = f"[{host}]" if ":" in host else host

    assert f"{named}:*" in found.hosts


def test_the_host_of_the_resource_is_answered(
    shelf: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERE", "https://books.example/mcp")
    given = ["--host", "0.0.0.0", "--verifier", "checks:verifier"]
    given += ["--issuer", "https://login.example", "--resource", "https://books.example/mcp"]
    found = listener_for(options(*given), shelf.folder)

    assert "books.example" in found.hosts


WITH_VERIFIER: Final = ["--issuer", "https://a.example", "--resource", "http://b", "--verifier"]
REFUSED: Final[dict[str, tuple[list[str], str]]] = {
    "other machines": (["--host", "0.0.0.0"], "0.0.0.0 is reachable from other machines"),
    "verifier alone": (["--verifier", "checks:verifier"], "goes with --issuer and --resource"),
    "no verifier": ([*WITH_VERIFIER, "checks:none"], "verifier checks:none: "),
    "a class": ([*WITH_VERIFIER, "checks:Verifier"], "no object with a method verify_token"),
    "anything": ([*WITH_VERIFIER, "checks:TOKENS"], "no object with a method verify_token"),
    "a module": ([*WITH_VERIFIER, "checks"], "verifier checks: write it as module:object"),
    "scope alone": (["--scope", "books"], "go with --verifier, which checks tokens"),
    "resource alone": (["--resource", "http://b"], "go with --verifier, which checks tokens"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_be_unsafe_is_refused_before_anything_listens(
    case: str, shelf: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERE", "http://b")
    given, words = REFUSED[case]
    done = started(shelf, *given)

    assert (done.code, done.out) == (1, "")
    assert words in done.err
    assert "Traceback" not in done.err


def test_what_means_something_over_http_only_is_told_over_stdio(shelf: Project) -> None:
    given = ["--port", "9000", "--allow-origin", "https://app.example", "--log", "text"]
    done = run(shelf.folder, *serve_command(shelf, *given))

    assert done.err.splitlines() == [
        "warning: --port goes with --http; over stdio it means nothing",
        "warning: --allow-origin goes with --http; over stdio it means nothing",
    ]


def test_a_port_that_is_taken_is_named(shelf: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = started(shelf, "--port", str(port))

    assert (done.code, done.out) == (1, "")
    assert str(port) in done.err
    assert "Traceback" not in done.err


def test_a_port_that_cannot_be_is_wrong_use(shelf: Project) -> None:
    done = started(shelf, "--port", "99999")

    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err


def test_a_port_that_was_left_open_is_told(shelf: Project) -> None:
    with Listening(serve_command(shelf, "--http", "--port", "0"), 0) as server:
        server.err.wait_until(lambda: "http://127.0.0.1:" in server.log, "the port is not told")
        server.port = int(server.log.split("http://127.0.0.1:")[1].split("/")[0])
        assert server.post(LIST).status == 200


def started(shelf: Project, *given: str) -> Result:
    """A server that is expected to end by itself."""
    command = serve_command(shelf, "--http", "--port", str(free_port()), *given)
    return run(shelf.folder, *command)


# Tokens


def asked_with(guarded: Listening, token: str | None) -> Response:
    return (
        guarded.post(LIST) if token is None else guarded.post(LIST, Authorization=f"Bearer {token}")
    )


def test_the_metadata_of_the_protected_resource_is_public(guarded: Listening) -> None:
    answer = guarded.get("/.well-known/oauth-protected-resource/mcp")

    assert answer.status == 200
    assert answer.json["resource"] == guarded.url
    assert [url.rstrip("/") for url in answer.json["authorization_servers"]] == [
        "https://login.example"
    ]
    assert answer.json["scopes_supported"] == ["books"]


@pytest.mark.parametrize("token", [None, "unknown", "expired", "elsewhere", "nowhere"])
def test_a_token_that_is_missing_wrong_or_for_another_server_is_401(
    token: str | None, guarded: Listening
) -> None:
    answer = asked_with(guarded, token)

    assert answer.status == 401
    assert "/.well-known/oauth-protected-resource/mcp" in answer.headers["www-authenticate"]
    assert "tools" not in answer.body


def test_a_token_without_the_scope_is_403(guarded: Listening) -> None:
    answer = asked_with(guarded, "powerless")

    assert answer.status == 403
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


def test_the_right_token_is_answered(guarded: Listening) -> None:
    answer = asked_with(guarded, "right")

    assert answer.status == 200
    assert [tool["name"] for tool in answer.json["result"]["tools"]] == META
