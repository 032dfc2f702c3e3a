"""`toolfold servers`: whether an HTTP API can be reached with what is declared for it."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.http_api.apis import SECRET, api, operation
from tests.http_api.recorder import Answering, Sent, json_reply, recorder
from tests.support.commands import Result, toolfold
from tests.support.projects import write_manifest

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "7"},
    "paths": {"/items": {"get": {"responses": {"200": {"description": "Items"}}}}},
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A manifest with one API and one tool of it, written by hand."""
    (tmp_path / "api.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    monkeypatch.setenv("SECRET", SECRET)
    manifest = {
        "toolfold": 1,
        "server": {"name": "shop", "version": "1"},
        "categories": {"all": {}},
        "servers": {"api": api(auth={"bearer": "${SECRET}"})},
        "tools": {"list_items": operation("GET /items")},
    }
    write_manifest(tmp_path, manifest)
    return tmp_path


def asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, answer: Answering
) -> tuple[Result, list[Sent]]:
    """What the command prints, and what it sent."""

    async def within() -> tuple[Result, list[Sent]]:
        async with recorder(answer) as server:
            monkeypatch.setenv("PORT", str(server.port))
            return await asyncio.to_thread(toolfold, folder, "servers"), server.sent

    return asyncio.run(within())


def test_an_api_that_answers_is_listed_in_one_row(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, sent = asked(shop, monkeypatch, lambda sent: json_reply({}, 404))

    header, row, *_ = done.out.splitlines()
    assert header.split()[:2] == ["server", "transport"]
    assert row.split()[:3] == ["api", "http", "api"]
    assert done.code == 0
    assert [(one.method, one.target) for one in sent] == [("GET", "/v1")]


def test_an_api_that_refuses_its_credentials_is_named(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, _ = asked(shop, monkeypatch, lambda sent: json_reply({}, 401))

    assert done.out.splitlines()[2] == "  HTTP 401: its `auth:` is missing, wrong or expired"
    assert done.code == 1


def test_an_api_that_is_not_there_is_named(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "1")

    done = toolfold(shop, "servers")

    assert "unreachable: no connection" in done.out.splitlines()[2]
    assert done.code == 1
