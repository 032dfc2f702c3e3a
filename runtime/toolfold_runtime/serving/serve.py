"""Starting a generated server; the MCP SDK is imported here, when a server is really started."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from toolfold_runtime.catalog.catalog import Catalog, StaleCatalogError

if TYPE_CHECKING:
    from toolfold_runtime.disclosure.dispatch import Dispatcher
    from toolfold_runtime.serving.http import Listening

#: A meta-tool: flat parameters in, text out.
Handler: TypeAlias = Callable[..., str]

EXPOSURES: Final = ("direct", "progressive", "hybrid")
STRATEGIES: Final = ("lexical", "semantic", "hybrid")
LOG_FORMS: Final = ("text", "json")
LOG_LEVELS: Final = ("error", "warning", "info", "debug")


def serve(
    catalog: Catalog,
    meta_tools: Mapping[str, Handler],
    root: Path,
    arguments: Sequence[str] | None = None,
) -> int:
    """Serve until the client goes away, or until told to stop; the exit code of the process."""
    parser = argparse.ArgumentParser(prog=catalog.package, description="An MCP server.")
    add_options(parser)
    return serve_with(catalog, meta_tools, root, parser.parse_args(arguments))


def add_options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen when a server starts."""
    parser.add_argument("--exposure", choices=EXPOSURES, help="what tools/list shows")
    parser.add_argument("--search", choices=STRATEGIES, help="default: as generated")
    parser.add_argument("--http", action="store_true", help="streamable HTTP instead of stdio")
    parser.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1")
    parser.add_argument("--port", type=_port, default=8000, help="default: 8000; 0: any")
    parser.add_argument("--allow-host", action="append", default=[], metavar="HOST[:PORT]")
    parser.add_argument("--allow-origin", action="append", default=[], metavar="ORIGIN")
    parser.add_argument("--verifier", metavar="MODULE:OBJECT", help="token verifier")
    parser.add_argument("--issuer", metavar="URL", help="authorization server of the tokens")
    parser.add_argument("--resource", metavar="URL", help="this server's own address")
    parser.add_argument("--scope", action="append", default=[], help="scope a token must have")
    parser.add_argument("--log", choices=LOG_FORMS, help="default: text on a terminal, else json")
    parser.add_argument(
        "--log-level", choices=LOG_LEVELS, default="warning", help="info: each call"
    )
    parser.add_argument("--open", action="store_true", help="serve other machines without tokens")


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port; 0 to 65535")
    return int(text)


def serve_with(
    catalog: Catalog, meta_tools: Mapping[str, Handler], root: Path, options: argparse.Namespace
) -> int:
    """The same, with options that were parsed already."""
    import anyio

    from toolfold_runtime import log
    from toolfold_runtime.running.backends.implementation import (
        ImplementationError,
        load_implementation,
    )

    log.set_up(options.log, options.log_level)
    try:
        listening = _listening(options, root)
        if options.search:
            catalog.choose_search(options.search)
        implementation = load_implementation(catalog.server["implementation"], root)
    except (ImplementationError, StaleCatalogError, ValueError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - stdout belongs to the protocol
        return 1
    from toolfold_runtime.disclosure.dispatch import Dispatcher
    from toolfold_runtime.running.backends.python import backend_of
    from toolfold_runtime.running.execute import Executor

    executor = Executor(catalog, backend_of(catalog, implementation))
    dispatcher = Dispatcher(catalog, meta_tools, executor, options.exposure)
    try:
        anyio.run(_serving, dispatcher, listening)
    except ImplementationError as error:
        print(error, file=sys.stderr)  # noqa: T201 - the log
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


async def _serving(dispatcher: "Dispatcher", listening: "Listening | None") -> None:
    from toolfold_runtime.serving.lifetime import live
    from toolfold_runtime.serving.protocol import build_server, run_stdio

    server, executor = build_server(dispatcher), dispatcher.executor
    name = dispatcher.facts["name"]
    if listening is None:
        await live(executor, name, lambda: run_stdio(server), over_stdio=True)
    else:
        from toolfold_runtime.serving.http import run_http

        await live(executor, name, lambda: run_http(server, listening), over_stdio=False)


def _listening(options: argparse.Namespace, root: Path) -> "Listening | None":
    if not options.http:
        return None
    from toolfold_runtime.serving.http import listening_on

    return listening_on(options, root)
