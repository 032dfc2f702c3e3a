"""A project whose tools are operations of HTTP APIs, called in this process, while a test answers them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import pytest
from toolfold_runtime import ToolError
from toolfold_runtime.disclosure.dispatch import Dispatcher, Reply
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.call import CallContext
from toolfold_runtime.running.caller import Caller
from toolfold_runtime.running.execute import Executor

from tests.http_api.recorder import Answering, Recorder, recorder
from tests.support.projects import Json, Project

T = TypeVar("T")

_OF_BACKEND: Final = ("server", "request", "answer", "pages")
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}


def operation(line: str, properties: Json | None = None, **more: Any) -> Json:
    """A tool that is an operation; what is no part of its backend is the tool's own."""
    backend = {"server": "api", "operation": line}
    backend |= {key: more.pop(key) for key in _OF_BACKEND if key in more}
    return {
        "category": "all",
        "effect": "read" if line.startswith(("GET", "HEAD")) else "write",
        "summary": line,
        "input_schema": {"type": "object", "properties": properties or {}},
        "backend": backend,
        **more,
    }


def api(**more: Any) -> Json:
    """An entry under `servers:`; its port and path are those of the test's own server."""
    return {"openapi": "api.json", "url": "http://127.0.0.1:${PORT}/v1", **more}


SERVERS: Final[dict[str, Json]] = {
    "api": api(),
    "once": api(retries=0),
    "hurried": api(timeout=0.5),
    "bearer": api(auth={"bearer": "${SECRET}"}),
    "basic": api(auth={"basic": {"username": {"plain": "ada"}, "password": "${SECRET}"}}),
    "header": api(auth={"api_key": {"name": "X-Key", "value": "${SECRET}"}}),
    "query": api(auth={"api_key": {"name": "key", "value": "${SECRET}", "place": "query"}}),
    "cookie": api(auth={"api_key": {"name": "sid", "value": "${SECRET}", "place": "cookie"}}),
    "tokens": api(
        auth={
            "client_credentials": {
                "token_url": "http://127.0.0.1:${PORT}/token",
                "client_id": {"plain": "ada"},
                "client_secret": "${SECRET}",
            }
        }
    ),
    "tls": {"openapi": "api.json", "url": "https://127.0.0.1:${PORT}"},
    "unset": api(auth={"bearer": "${NOBODY_SETS_THIS}"}),
    "paced": api(rate=20),
}
ITEM: Final = {"type": "object", "properties": {"id": _NUMBER, "name": _TEXT}, "required": ["id"]}
TOOLS: Final[dict[str, Json]] = {
    "list_issues": operation(
        "GET /repos/{owner}/issues",
        {"owner": _TEXT, "labels": {"type": "array"}, "page": _NUMBER},
        request={"parameters": {"labels": {"in": "query", "explode": False}}},
    ),
    "get_item": operation(
        "GET /items/{id}",
        {"id": _TEXT},
        answer={
            "schema": {"$ref": "#/$defs/Item"},
            "errors": {"404": "No item has this id", "4XX": "The item is not to be had"},
        },
    ),
    "two_parts": operation("GET /files/{a}{b}/x", {"a": _TEXT, "b": _TEXT}),
    "label": operation(
        "GET /files/{a}",
        {"a": _TEXT},
        request={"parameters": {"a": {"in": "path", "style": "label"}}},
    ),
    "send_header": operation(
        "GET /headers",
        {"trace": _TEXT},
        request={"parameters": {"trace": {"in": "header", "name": "X-Trace"}}},
    ),
    "send_cookie": operation(
        "GET /cookies",
        {"theme": _TEXT},
        request={"parameters": {"theme": {"in": "cookie"}}},
        server="cookie",
    ),
    "pose_by_header": operation(
        "GET /me",
        {"key": _TEXT},
        request={"parameters": {"key": {"in": "header", "name": "x-kEY"}}},
        server="header",
    ),
    "pose_by_query": operation(
        "GET /me", {"key": _TEXT, "other": _TEXT, "all": {"type": "object"}}, server="query"
    ),
    "pose_by_cookie": operation(
        "GET /me",
        {"sid": _TEXT},
        request={"parameters": {"sid": {"in": "cookie"}}},
        server="cookie",
    ),
    "create_item": operation(
        "POST /items",
        {"name": _TEXT},
        request={"body": {"type": "application/json"}},
    ),
    "send_text": operation(
        "POST /notes",
        {"text": _TEXT},
        request={"body": {"type": "text/plain", "argument": "text"}},
    ),
    "change_item": operation(
        "PATCH /items",
        {"name": _TEXT},
        request={"body": {"type": "application/json", "required": True}},
    ),
    "at_target": operation(
        "POST /?v=1#Target=Items.List",
        {"limit": _TEXT, "filter": {}},
        request={
            "parameters": {"limit": {"in": "query"}},
            "body": {"type": "application/json"},
        },
    ),
    "head_header": operation("HEAD /items/{id}", {"id": _TEXT}, server="header"),
    "read_on": operation(
        "GET /list", {"key": _TEXT, "page": _NUMBER}, pages={"style": "link"}, server="query"
    ),
    "upload": operation(
        "POST /files",
        {"note": _TEXT, "file": {}},
        request={
            "body": {
                "type": "multipart/form-data",
                "names": {"note": "comment"},
                "parts": {"file": {"type": "text/plain", "file": True}},
            }
        },
    ),
    "create_hurriedly": operation("POST /items", server="hurried"),
    "search_items": operation(
        "POST /search",
        {"query": _TEXT},
        request={"body": {"type": "application/json"}},
        effect="read",
    ),
    "guessed_search": operation(
        "POST /search",
        {"query": _TEXT},
        request={"body": {"type": "application/json"}},
        effect="read",
        proposed=["effect"],
    ),
    "put_item": operation("PUT /items/{id}", {"id": _TEXT}),
    "delete_item": operation("DELETE /items/{id}", {"id": _TEXT}, effect="destructive"),
    "head_item": operation("HEAD /items/{id}", {"id": _TEXT}),
    "cached_item": operation("GET /items/{id}", {"id": _TEXT}, cache={"ttl": 60}),
    "short_item": operation("GET /items/{id}", {"id": _TEXT}, budget=50),
    "by_cursor": operation(
        "GET /list",
        {"cursor": _TEXT, "limit": _NUMBER},
        pages={"style": "cursor", "argument": "cursor", "next": "meta.next"},
    ),
    "after_last": operation(
        "GET /list",
        {"starting_after": _TEXT},
        pages={
            "style": "cursor",
            "argument": "starting_after",
            "next": "data.-1.id",
            "more": "has_more",
        },
    ),
    "by_page": operation(
        "GET /list",
        {"page": {"type": "integer", "default": 0}},
        pages={"style": "page", "argument": "page"},
    ),
    "by_offset": operation(
        "GET /list",
        {"offset": _NUMBER},
        pages={"style": "offset", "argument": "offset", "items": "rows", "more": "more"},
    ),
    "by_link": operation(
        "GET /list", {"page": _NUMBER, "per_page": _NUMBER}, pages={"style": "link"}
    ),
    **{
        f"at_{server}": operation("GET /items/{id}", {"id": _TEXT}, server=server)
        for server in SERVERS
    },
}
MANIFEST: Final[Json] = {
    "toolfold": 1,
    "server": {"name": "apis", "version": "1"},
    "categories": {"all": {}},
    "servers": SERVERS,
    "tools": TOOLS,
    "$defs": {"Item": ITEM},
}
SECRET: Final = "s3cret/key+4242"


class Door:
    """The project's tools, called as a client calls them."""

    def __init__(self, project: Project, server: Recorder) -> None:
        self.server = server
        catalog = project.catalog
        self.backend = backend_of(catalog, None, project.folder)
        self.executor = Executor(catalog, self.backend)
        self._dispatcher = Dispatcher(catalog, {}, self.executor)

    @property
    def target(self) -> str:
        """Where the last request went, below the origin."""
        return self.server.sent[-1].target

    async def reply(self, tool: str, caller: Caller | None = None, **arguments: Any) -> Reply:
        """The answer; ToolError where there is none."""
        return await self._dispatcher.call(tool, arguments, CallContext(caller=caller or Caller()))

    async def call(self, tool: str, caller: Caller | None = None, **arguments: Any) -> str:
        """The text of the answer with its notes, or of the error with its code."""
        try:
            return "\n".join((await self.reply(tool, caller, **arguments)).texts)
        except ToolError as error:
            return str(error)


class World:
    """The project, and a server that answers it for as long as a test calls."""

    def __init__(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        self.project = project
        self._monkeypatch = monkeypatch
        monkeypatch.setenv("SECRET", SECRET)

    def run(self, work: Callable[[Door], Awaitable[T]], answer: Answering | None = None) -> T:
        """What work returns that calls tools."""

        async def within() -> T:
            async with recorder(answer) as server:
                with self.door(server) as door:
                    try:
                        return await work(door)
                    finally:
                        await door.backend.close()

        return asyncio.run(within())

    @contextmanager
    def door(self, server: Recorder) -> Iterator[Door]:
        """The way to call the tools while a server of the test's own runs."""
        self._monkeypatch.setenv("PORT", str(server.port))
        yield Door(self.project, server)

    def call(self, tool: str, answer: Answering | None = None, **arguments: Any) -> str:
        """The text of one call."""
        return self.run(lambda door: door.call(tool, **arguments), answer)
