"""Calling the tools of a generated package in this process; needs only what a server needs."""

import contextlib
import importlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolfold_runtime import ToolError
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract import files
from toolfold_runtime.errors import StartError
from toolfold_runtime.running.call import Consent
from toolfold_runtime.serving.serve import Handler

from toolfold.errors import UsageError, missing_manifest

_AS_JSON: Final = """write them like '{"query": "x"}', with these quotes"""


@dataclass(frozen=True)
class GeneratedServer:
    """What the `server` module of a generated package declares."""

    catalog: Catalog
    meta_tools: Mapping[str, Handler]
    root: Path


@dataclass(frozen=True)
class Answer:
    """What a call in this process answered."""

    text: str
    is_error: bool


def load_server(manifest: Path, output: Path | None) -> GeneratedServer:
    """The server of the package generated from `manifest`; UsageError where there is none."""
    folder = output or manifest.parent / "generated"
    packages = sorted(path.parents[1] for path in folder.glob(f"*/catalog/{files.SERVER}"))
    if not packages:
        if not manifest.exists():
            raise missing_manifest(manifest)
        raise UsageError(f"{folder}/: no generated server here; run `toolfold generate` first")
    if len(packages) > 1:
        names = ", ".join(path.name for path in packages)
        raise UsageError(f"{folder}/: several generated servers ({names}); use one output each")
    sys.path.insert(0, str(folder.resolve()))
    module = importlib.import_module(f"{packages[0].name}.server")
    try:
        module.CATALOG.facts  # noqa: B018 - reads it, once
    except StartError as error:
        raise UsageError(str(error)) from None
    return GeneratedServer(module.CATALOG, module.META_TOOLS, module.ROOT)


def try_tool(manifest: Path, output: Path | None, tool: str, arguments: str) -> Answer:
    """Call one tool, a runner or a meta-tool, exactly as the server would."""
    import anyio
    from toolfold_runtime import server_log
    from toolfold_runtime.disclosure.dispatch import Dispatcher, Reply
    from toolfold_runtime.running.author_log import author_log
    from toolfold_runtime.running.backends.implementation import load_implementation
    from toolfold_runtime.running.backends.python import backend_of
    from toolfold_runtime.running.blocks import described
    from toolfold_runtime.running.call import CallContext
    from toolfold_runtime.running.caller import LOCAL
    from toolfold_runtime.running.execute import Executor

    server_log.set_up("text", "warning")
    server = load_server(manifest, output)
    catalog = server.catalog
    values = parsed_arguments(arguments)
    # A meta-tool answers from the catalog, so the user's code is not loaded for it.
    path = None if tool in server.meta_tools else catalog.facts.implementation

    async def call() -> Reply:
        await backend.start()
        logged.attach()
        try:
            return await dispatcher.call(tool, values, CallContext(LOCAL, confirm=_typed))
        finally:
            await backend.close()
            await dispatcher.executor.end()

    try:
        # What a method prints is not the answer.
        with author_log(server.root, catalog) as logged, contextlib.redirect_stdout(sys.stderr):
            implementation = load_implementation(path, server.root)
            backend = backend_of(catalog, implementation, server.root)
            dispatcher = Dispatcher(catalog, server.meta_tools, Executor(catalog, backend))
            reply = anyio.run(call)
    except ToolError as error:
        return Answer(str(error), is_error=True)
    except StartError as error:
        raise UsageError(str(error)) from None
    return Answer("\n".join(map(described, reply.content)), is_error=reply.is_error)


def parsed_arguments(text: str) -> dict[str, object]:
    """The arguments on a command line; UsageError where they are no JSON object."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"the arguments are not JSON: {error}; {_AS_JSON}") from None
    if not isinstance(values, dict):
        raise UsageError(f"the arguments are not a JSON object; {_AS_JSON}")
    return values


async def _typed(_: str) -> Consent:
    """Whoever types a call here has confirmed it."""
    return Consent()
