"""Rules across entries: names that must exist, keys that exclude each other."""

from collections.abc import Collection, Iterator
from typing import Final

from toolfold.errors import Problem
from toolfold.manifest.hints import nearest
from toolfold.manifest.schema import Backend, Manifest, MetaTool, Tool, Upstream
from toolfold.manifest.tree import ManifestPath, PlacedMapping, dotted, place_of
from toolfold.manifest.usage import UsageFile

# The keys that only one kind of server has.
_OF_MCP: Final = ("idle", "per_caller")
_OF_APIS: Final = ("rate", "retries", "include", "exclude")


def validate(manifest: Manifest, tree: PlacedMapping) -> Iterator[Problem]:
    """Every violation of the rules that span several entries of a manifest."""
    rules = _Validator(manifest, tree)
    yield from rules.tools()
    yield from rules.references()
    yield from rules.upstreams()
    yield from rules.reachable()
    yield from rules.usage()
    yield from rules.tiers()


class _Validator:
    """The rules, one method each, over a manifest and the places of its values."""

    def __init__(self, manifest: Manifest, tree: PlacedMapping) -> None:
        self.manifest = manifest
        self.tree = tree
        self.hidden = {name for name, tool in manifest.tools.items() if tool.hidden}

    def tools(self) -> Iterator[Problem]:
        if not self.tree["tools"]:
            yield self._problem(("tools",), "no tools", "declare at least one")
        elif self.hidden and len(self.hidden) == len(self.tree["tools"]):
            yield self._problem(("tools",), "every tool is hidden", "show at least one")
        for name, tool in self.manifest.tools.items():
            yield from self.tool(name, tool)

    def tool(self, name: str, tool: Tool) -> Iterator[Problem]:
        path = ("tools", name)
        yield from self._known_category((*path, "category"), tool.category)
        yield from self._exclusive_keys(path, tool)
        yield from self._backend((*path, "backend"), tool.backend)
        if tool.cache and tool.effect != "read":
            fact = f"effect {tool.effect} cannot be cached"
            yield self._problem((*path, "cache"), fact, "only `effect: read` may be")
        yield from self._scopes(path, tool)
        yield from self._annotations(path, tool)
        for index, related in enumerate(tool.related):
            yield from self._known_tool((*path, "related", index), related)

    def tiers(self) -> Iterator[Problem]:
        limits = self.manifest.tiers.thresholds
        if not limits.hot >= limits.warm >= limits.standard:
            fact = f"hot {limits.hot:g}, warm {limits.warm:g}, standard {limits.standard:g}"
            hint = "a better tier needs no lower score: let them descend"
            yield self._problem(("tiers", "thresholds"), fact, hint)
        if not any(self.manifest.tiers.weights.model_dump().values()):
            hint = "every score would be 0; let at least one part count"
            yield self._problem(("tiers", "weights"), "all weights are 0", hint)

    def usage(self) -> Iterator[Problem]:
        if not isinstance(self.manifest.usage, UsageFile):
            return
        path = ("usage", "file")
        # The place is not repeated: a password may be in it.
        if "://" in self.manifest.usage.file:
            hint = "set the environment variable TOOLFOLD_USAGE to it where you serve"
            yield self._problem(path, "a database's address, which would be committed", hint)
        elif not self.manifest.usage.file.isprintable():
            yield self._problem(path, "characters that no path should have", "name a file")

    def references(self) -> Iterator[Problem]:
        for index, workflow in enumerate(self.manifest.workflows):
            for step, tool in enumerate(workflow.steps):
                yield from self._known_tool(("workflows", index, "steps", step), tool)
        for name, resource in self.manifest.resources.items():
            yield from self._known_tool(("resources", name, "tool"), resource.tool)
        for name, prompt in self.manifest.prompts.items():
            if prompt.tool is not None:
                yield from self._known_tool(("prompts", name, "tool"), prompt.tool)
        for label, tool in self.manifest.disclosure.quick_actions.items():
            yield from self._known_tool(("disclosure", "quick_actions", label), tool)
        for role, field in type(self.manifest.disclosure.meta).model_fields.items():
            meta = getattr(self.manifest.disclosure.meta, role)
            if isinstance(meta, MetaTool) and meta.category is not None:
                path = ("disclosure", "meta", field.alias or role, "category")
                yield from self._known_category(path, meta.category)

    def upstreams(self) -> Iterator[Problem]:
        for name, upstream in self.manifest.servers.items():
            if upstream.is_http_api and upstream.url is None:
                hint = "`url:` is where its operations are: origin and base path"
                yield self._problem(("servers", name), "an HTTP API without a url", hint)
            elif (upstream.command is None) == (upstream.url is None):
                fact = "an upstream server has either a command or a url"
                hint = "`command: [program, argument]` to start one, `url:` to reach one"
                yield self._problem(("servers", name), fact, hint)
            else:
                yield from self._keys_for_the_other_kind(("servers", name), upstream)
            if upstream.auth is not None and len(upstream.auth.model_fields_set) != 1:
                fact = f"{len(upstream.auth.model_fields_set)} ways to authorize a request"
                hint = f"exactly one of: {', '.join(type(upstream.auth).model_fields)}"
                yield self._problem(("servers", name, "auth"), fact, hint, code="shape")

    def reachable(self) -> Iterator[Problem]:
        """Unlisted tools need a runner where direct calls of them are denied."""
        disclosure = self.manifest.disclosure
        runners = (disclosure.meta.run_read, disclosure.meta.run_write)
        has_runner = disclosure.meta.run is not None or "off" not in runners
        if (
            disclosure.unlisted_calls == "deny"
            and disclosure.exposure != "direct"
            and not has_runner
        ):
            path = ("disclosure", "unlisted_calls")
            hint = "switch the runners on, or allow unlisted calls"
            yield self._problem(path, "tools that are not listed could not be called at all", hint)

    def _keys_for_the_other_kind(self, path: ManifestPath, upstream: Upstream) -> Iterator[Problem]:
        for key in _OF_MCP if upstream.is_http_api else _OF_APIS:
            if key in upstream.model_fields_set:
                kind = "an HTTP API" if upstream.is_http_api else "an MCP server"
                hint = "`openapi:` makes an entry an HTTP API"
                yield self._problem((*path, key), f"{kind} has no {key}", hint, of_key=True)
        is_started = upstream.command is not None
        for key in ("headers", "auth") if is_started else ("env", "cwd"):
            if key in upstream.model_fields_set:
                kind = "a program that is started" if is_started else "a server at an address"
                hint = "`url:` has headers and auth, `command:` has env and cwd"
                yield self._problem((*path, key), f"{kind} has no {key}", hint, of_key=True)

    def _backend(self, path: ManifestPath, backend: Backend | None) -> Iterator[Problem]:
        if backend is None:
            return
        given = {key for key, value in backend if value is not None}
        if "operation" in given:
            given -= {"request", "answer", "pages"}
        if given not in ({"python"}, {"server", "tool"}, {"server", "operation"}):
            hint = (
                "`{python: method}`, `{server: name, tool: its name there}`,"
                " or `{server: name, operation: GET /path}`"
            )
            is_both = "python" in given
            kinds = "a method", "a tool of a server"
            fact = "both {} and {}" if is_both else "neither {} nor {}"
            yield self._problem(path, fact.format(*kinds), hint, code="shape")
        elif backend.server is not None:
            names = self.manifest.servers
            yield from self._known((*path, "server"), backend.server, "server", "servers", names)
            yield from self._carrier(path, backend)

    def _carrier(self, path: ManifestPath, backend: Backend) -> Iterator[Problem]:
        """Operations are carried out by HTTP APIs, tools by MCP servers."""
        server = self.manifest.servers.get(backend.server or "")
        if server is None or server.is_http_api == (backend.operation is not None):
            return
        if server.is_http_api:
            fact, hint = "an HTTP API, which has no tools", "`operation: GET /path` instead"
            yield self._problem((*path, "tool"), fact, hint, of_key=True)
        else:
            fact = f'"{backend.server}" is an MCP server, which has no operations'
            hint = "`openapi:` under the server makes it an HTTP API"
            yield self._problem((*path, "operation"), fact, hint, of_key=True)

    def _scopes(self, path: ManifestPath, tool: Tool) -> Iterator[Problem]:
        for index, scope in enumerate(tool.scopes):
            if scope in tool.scopes[:index]:
                fact = f'"{scope}" is listed twice'
                yield self._problem((*path, "scopes", index), fact, "remove one of them")

    def _annotations(self, path: ManifestPath, tool: Tool) -> Iterator[Problem]:
        """Clients refuse the whole list of tools where one annotation has a wrong type."""
        for key, value in tool.annotations.items():
            expected = {"title": str}.get(key, bool if key.endswith("Hint") else object)
            if value is not None and not isinstance(value, expected):
                hint = "a title is text, a hint is true or false"
                fact = f"not a value for {key}"
                yield self._problem((*path, "annotations", key), fact, hint)

    def _exclusive_keys(self, path: ManifestPath, tool: Tool) -> Iterator[Problem]:
        for ours, foreign in (("parameters", "input_schema"), ("returns", "output_schema")):
            if getattr(tool, ours) is not None and getattr(tool, foreign) is not None:
                hint = f"keep `{ours}` for a schema written here, `{foreign}` for a foreign one"
                fact = f"both `{ours}` and `{foreign}`"
                yield self._problem((*path, foreign), fact, hint, of_key=True)

    def _known_tool(self, path: ManifestPath, name: str) -> Iterator[Problem]:
        yield from self._known(path, name, "tool", "tools", self.manifest.tools)
        if name in self.hidden:
            yield self._problem(path, f'"{name}" is hidden', "show it, or name another tool here")

    def _known_category(self, path: ManifestPath, name: str) -> Iterator[Problem]:
        return self._known(path, name, "category", "categories", self.manifest.categories)

    def _known(
        self, path: ManifestPath, name: str, kind: str, key: str, names: Collection[str]
    ) -> Iterator[Problem]:
        # An entry that does not fit was reported as such; it is not unknown.
        if name not in names and name not in self.tree.get(key, {}):
            hint = nearest(name, list(names)) or self._declared(key, list(names))
            yield self._problem(path, f'unknown {kind} "{name}"', hint)

    def _declared(self, key: str, names: list[str]) -> str:
        place = self.tree.keys_at.get(key)
        if place is None:
            return f"declare it under `{key}:`"
        some = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        return f"declared under `{key}:` ({place}): {some or 'none'}"

    def _problem(
        self,
        path: ManifestPath,
        fact: str,
        hint: str = "",
        *,
        of_key: bool = False,
        code: str = "rule",
    ) -> Problem:
        place = place_of(self.tree, path, of_key=of_key)
        return Problem(place, dotted(path), fact, hint, code=code)
