"""Starting a generated server; the MCP SDK is imported here, when a server is really started."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.errors import StartError
from toolfold_runtime.serving.options import (
    ServeOptions,
    add_options,
    options_without_http,
    serve_options,
)

if TYPE_CHECKING:
    import asyncio

    from toolfold_runtime.asgi import Application
    from toolfold_runtime.disclosure.dispatch import Dispatcher
    from toolfold_runtime.running.author_log import AuthorLog
    from toolfold_runtime.serving.http import Listener
    from toolfold_runtime.serving.workers import Worker
    from toolfold_runtime.usage.recorder import Recorder

#: A meta-tool: flat parameters in, text out.
Handler: TypeAlias = Callable[..., str]


def serve(
    catalog: Catalog,
    meta_tools: Mapping[str, Handler],
    root: Path,
    arguments: Sequence[str] | None = None,
) -> int:
    """Serve until the client goes away or a signal comes; the exit code of the process."""
    parser = argparse.ArgumentParser(prog=catalog.package, description="An MCP server.")
    add_options(parser)
    return serve_with(catalog, meta_tools, root, serve_options(parser.parse_args(arguments)))


def serve_with(
    catalog: Catalog, meta_tools: Mapping[str, Handler], root: Path, options: ServeOptions
) -> int:
    """Serve with options that were parsed already; 1 where the server cannot start."""
    from toolfold_runtime import server_log

    server_log.ensure_stderr()
    server_log.set_up(options.log, options.log_level)
    for option in options_without_http(options):
        server_log.warning(f"{option} goes with --http; over stdio it means nothing")

    def work(worker: "Worker | None" = None) -> int:
        return _exit_code(lambda: _run(catalog, meta_tools, root, options, worker))

    if options.http and options.workers > 1:
        return _exit_code(lambda: _run_workers(options, work))
    return work()


def _exit_code(run: Callable[[], None]) -> int:
    from toolfold_runtime import server_log

    try:
        run()
    except StartError as error:
        server_log.error(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        server_log.end()
    return 0


def _run_workers(options: ServeOptions, work: "Callable[[Worker], int]") -> None:
    from toolfold_runtime.serving.http import bound_socket, check_address
    from toolfold_runtime.serving.workers import run_workers

    check_address(options)
    bound = bound_socket(options.host, options.port)
    run_workers(options.workers, bound, options.shutdown_seconds, work)


def _run(
    catalog: Catalog,
    meta_tools: Mapping[str, Handler],
    root: Path,
    options: ServeOptions,
    worker: "Worker | None",
) -> None:
    import anyio

    from toolfold_runtime.running.author_log import author_log

    with author_log(root, catalog) as logged:
        listener = _listener(root, options) if options.http else None
        dispatcher = _dispatcher(catalog, meta_tools, root, options)
        api = _api(dispatcher, root, options) if options.http and options.api else None
        anyio.run(_serve, dispatcher, listener, logged, worker, api)


def _listener(root: Path, options: ServeOptions) -> "Listener":
    from toolfold_runtime.serving.http import listener_for  # a server over stdio does without

    return listener_for(options, root)


def _dispatcher(
    catalog: Catalog, meta_tools: Mapping[str, Handler], root: Path, options: ServeOptions
) -> "Dispatcher":
    from toolfold_runtime.disclosure.dispatch import Dispatcher
    from toolfold_runtime.running.backends.implementation import load_implementation
    from toolfold_runtime.running.backends.python import backend_of
    from toolfold_runtime.running.execute import Executor

    if catalog.facts.program_tools:
        from toolfold_runtime.code.programs import require_extra

        require_extra(catalog.facts)
    if options.search:
        catalog.choose_search(options.search)
    implementation = load_implementation(catalog.facts.implementation, root)
    executor = Executor(
        catalog, backend_of(catalog, implementation, root), _recorder(catalog, root, options)
    )
    return Dispatcher(catalog, meta_tools, executor, options.exposure)


def _api(dispatcher: "Dispatcher", root: Path, options: ServeOptions) -> "Application":
    from toolfold_runtime.api.application import Api
    from toolfold_runtime.running.backends.several import upstream_states
    from toolfold_runtime.usage.location import location_of

    return Api(
        dispatcher.catalog,
        location_of(options.usage, dispatcher.facts.usage, root),
        lambda: upstream_states(dispatcher.executor.backend),
        dispatcher.executor.cache.counts,
        is_private=options.verifier is not None,
    )


def _recorder(catalog: Catalog, root: Path, options: ServeOptions) -> "Recorder | None":
    """The usage recorder; None if it is switched off."""
    from functools import partial

    from toolfold_runtime.usage.location import choice_of, location_of
    from toolfold_runtime.usage.recorder import Recorder
    from toolfold_runtime.usage.store import UsageStoreError

    chosen = options.usage, catalog.facts.usage
    try:
        if choice_of(*chosen) is None:
            # Where the user's data are is slow to find; it is looked up when the first call has ended.
            return Recorder(partial(location_of, *chosen, root))
        location = location_of(*chosen, root)
    except UsageStoreError as error:
        raise StartError(str(error)) from None
    return Recorder(location) if location else None


async def _serve(
    dispatcher: "Dispatcher",
    listener: "Listener | None",
    logged: "AuthorLog",
    worker: "Worker | None",
    api: "Application | None",
) -> None:
    from toolfold_runtime.serving.callers import Callers
    from toolfold_runtime.serving.lifetime import run_until_end
    from toolfold_runtime.serving.protocol import build_server

    callers = Callers(listener.issuer) if listener else Callers(is_local=True)
    server = build_server(dispatcher, callers)

    async def serving(stopping: "asyncio.Event") -> None:
        logged.attach()  # now that the implementation has started, and set up what it wants
        if listener:
            from toolfold_runtime.serving.http import run_http

            if worker:
                worker.serves()
            bound = worker.bound if worker else None
            await run_http(server, listener, stopping, bound, api)
        else:
            from toolfold_runtime.serving.stdio import run_stdio

            await run_stdio(server, stopping)

    name, has_parent = dispatcher.facts.name, worker is not None
    await run_until_end(dispatcher.executor, name, serving, has_parent=has_parent)
