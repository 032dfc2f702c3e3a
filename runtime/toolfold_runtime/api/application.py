"""The catalog API as an application: a path and a query in, an answer out.

Whom to answer is decided in front of it: Host and Origin by the guard of the server, tokens by the
same middleware as for the MCP endpoint.
"""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Final, NamedTuple

from pydantic import BaseModel

from toolfold_runtime.api.answers import ROOT, CatalogAnswers
from toolfold_runtime.api.cached import (
    LIFETIMES,
    AnswerCache,
    ReadyAnswer,
    is_known,
    ready_answer,
    tagged,
)
from toolfold_runtime.api.live import LiveUsage, upstreams
from toolfold_runtime.api.models import ErrorAnswer, Problem, Servers, Upstream
from toolfold_runtime.api.openapi import DOCUMENT, openapi_document
from toolfold_runtime.api.request import (
    CATEGORIES,
    LIMIT,
    MAX_TOKENS,
    PAGE,
    PAGE_SIZE,
    BadRequestError,
    number,
    query_of,
)
from toolfold_runtime.asgi import Header, Message, Receive, Send, header_values
from toolfold_runtime.bounded import LookupCounts
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.errors import ToolError
from toolfold_runtime.upstream.state import ServerState
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.store import UsageStoreError

REFERENCE: Final = "/api/v1"
_JSON: Final = (b"content-type", b"application/json")
_HTML: Final = (b"content-type", b"text/html; charset=utf-8")
_UNCACHED: Final = (b"cache-control", b"no-store")
_SAFE: Final[tuple[Header, ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none';"
        b" form-action 'none'; frame-ancestors 'none'",
    ),
)
_STATUS: Final = {"unknown_tool": 404, "unknown_category": 404, "not_found": 404}


class _Answer(NamedTuple):
    ready: ReadyAnswer
    headers: tuple[Header, ...]
    status: int = 200


class Api:
    """Answers requests for the catalog, live figures and the pages about them."""

    def __init__(
        self,
        catalog: Catalog,
        location: Location | None,
        states: Callable[[], Iterable[ServerState]],
        results: LookupCounts,
        *,
        is_private: bool,
    ) -> None:
        self._facts = catalog.facts
        self._answers = CatalogAnswers(catalog)
        self._cache = AnswerCache()
        self._states = states
        counts = {**self._cache.counts, "results": results}
        self._usage = LiveUsage(location, self._ids, counts)
        # Where a token decides who may read an answer, no cache on the way may give it to others.
        self._shared = b"private" if is_private else b"public"
        self._is_private = is_private

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer = await self._answer(scope)
        headers = [*answer.headers, *_SAFE, (b"vary", b"Authorization")]
        status, body = answer.status, answer.ready.body
        if status == 200 and _UNCACHED not in answer.headers:
            headers.append((b"etag", answer.ready.etag))
            if is_known(answer.ready.etag, header_values(scope, b"if-none-match")):
                status, body = 304, b""
        if status != 304:
            headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send(
            {"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body}
        )

    async def _answer(self, scope: Message) -> _Answer:
        if scope["method"] not in ("GET", "HEAD"):
            refused = _problem(405, "method_not_allowed", "only GET and HEAD are answered")
            return refused._replace(headers=(*refused.headers, (b"allow", b"GET, HEAD")))
        try:
            return await self._route(scope["path"], scope["query_string"])
        except BadRequestError as error:
            return _problem(400, "invalid_request", f"{error}.")
        except ToolError as error:
            return _problem(_STATUS.get(error.code, 500), error.code, error.text)
        except UsageStoreError:  # where the store is, is for whoever runs the server
            text = "the usage store cannot be read now; the server's log says why."
            return _problem(503, "usage_unavailable", text)

    async def _route(self, path: str, raw: bytes) -> _Answer:
        if path in self._pages:
            query_of(raw, ())
            return await self._pages[path]()
        relative_path = path.removeprefix(f"{ROOT}/") if path.startswith(f"{ROOT}/") else ""
        if relative_path in self._fixed:
            return await self._fixed[relative_path](raw)
        kind, _, name = relative_path.partition("/")
        # An id as it is in lists comes first: the one way to tools of a server called `category`.
        if kind == "category" and name and not self._answers.has_id(relative_path):
            return self._category(name, raw)
        if "::" in relative_path or (kind and name):
            query_of(raw, ())
            make = partial(self._answers.tool, relative_path)
            # The tag is a hash of the schema: whoever has it asks, and is told that it is current.
            return self._cached("tool", (relative_path,), make, b"no-cache")
        known = ", ".join([*(f"{ROOT}/{key}" for key in self._fixed), f"{ROOT}/category/NAME"])
        text = f"nothing is here. There is {known}, {ROOT}/SERVER::TOOL, and {DOCUMENT}."
        return _problem(404, "not_found", text)

    @property
    def _fixed(self) -> "dict[str, Callable[[bytes], Awaitable[_Answer]]]":
        return {
            "hot": self._hot,
            "categories": self._categories,
            "search": self._search,
            "usage": self._live_usage,
            "servers": self._servers,
        }

    @property
    def _pages(self) -> "dict[str, Callable[[], Awaitable[_Answer]]]":
        return {"/": self._watch, REFERENCE: self._reference, DOCUMENT: self._document}

    async def _hot(self, raw: bytes) -> _Answer:
        query_of(raw, ())
        return self._cached("hot", (), self._answers.hot)

    async def _categories(self, raw: bytes) -> _Answer:
        given = query_of(raw, ("page", "page_size"))
        key = (number(given, "page", PAGE), number(given, "page_size", CATEGORIES))
        return self._cached("categories", key, partial(self._answers.categories, *key))

    def _category(self, name: str, raw: bytes) -> _Answer:
        given = query_of(raw, ("page", "page_size", "max_tokens"))
        page = number(given, "page", PAGE)
        size = number(given, "page_size", PAGE_SIZE)
        tokens = number(given, "max_tokens", MAX_TOKENS)
        key = (name, page, size, tokens)
        return self._cached("category", key, partial(self._answers.category, *key))

    async def _search(self, raw: bytes) -> _Answer:
        given = query_of(raw, ("q", "limit"))
        if not given.get("q", "").strip():
            raise BadRequestError("q is missing; say what the tool should do, as in ?q=find+notes")
        hits = self._answers.search(given["q"], number(given, "limit", LIMIT))
        return _Answer(
            ready_answer(hits), (_JSON, (b"cache-control", self._shared + b", no-cache"))
        )

    async def _live_usage(self, raw: bytes) -> _Answer:
        query_of(raw, ())
        return _Answer(ready_answer(await self._usage.report()), (_JSON, _UNCACHED))

    async def _servers(self, raw: bytes) -> _Answer:
        query_of(raw, ())
        return _Answer(ready_answer(Servers(servers=self._upstreams())), (_JSON, _UNCACHED))

    async def _document(self) -> _Answer:
        document = openapi_document(
            self._facts.name, self._facts.version, wants_token=self._is_private
        )
        ready = tagged(document)
        return _Answer(ready, (_JSON, (b"cache-control", self._shared + b", max-age=3600")))

    async def _reference(self) -> _Answer:
        from toolfold_runtime.api.reference import reference_page

        body = reference_page(self._facts.title or self._facts.name)
        return _Answer(tagged(body), (_HTML, (b"cache-control", self._shared + b", max-age=3600")))

    async def _watch(self) -> _Answer:
        from toolfold_runtime.api.watch import watch_page

        try:
            usage, problem = await self._usage.report(), ""
        except UsageStoreError:
            usage, problem = None, "The usage store cannot be read now; the log says why."
        summaries = self._answers.summaries()
        title = self._facts.title or self._facts.name
        body = watch_page(title, self._facts.version, summaries, self._upstreams(), usage, problem)
        return _Answer(tagged(body), (_HTML, _UNCACHED))

    def _upstreams(self) -> list[Upstream]:
        return upstreams(self._states(), self._answers.server_counts(), self._facts.name)

    def _cached(
        self,
        kind: str,
        key: tuple[object, ...],
        make: Callable[[], BaseModel],
        policy: bytes = b"",
    ) -> _Answer:
        ready = self._cache.get(kind, key, make)
        policy = policy or b"max-age=%d" % LIFETIMES[kind]
        return _Answer(ready, (_JSON, (b"cache-control", self._shared + b", " + policy)))

    def _ids(self) -> frozenset[str]:
        return frozenset(tool.id for tool in self._answers.summaries())


def _problem(status: int, code: str, message: str) -> _Answer:
    problem = ErrorAnswer(error=Problem(code=code, message=message))
    return _Answer(ready_answer(problem), (_JSON, _UNCACHED), status)
