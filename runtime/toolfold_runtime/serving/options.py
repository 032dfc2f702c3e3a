"""What can be chosen when a server starts: command-line options as one typed value."""

import argparse
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from toolfold_runtime.contract.vocabulary import EXPOSURES, STRATEGIES, Exposure, Strategy

LOG_FORMATS: Final = ("text", "json")
LOG_LEVELS: Final = ("error", "warning", "info", "debug")
_LONGEST_SHUTDOWN: Final = 3600
_MOST_WORKERS: Final = 256
#: The options that mean something over HTTP only.
_HTTP_DEFAULTS: Final[dict[str, object]] = {
    "host": "127.0.0.1",
    "port": 8000,
    "allow_host": [],
    "allow_origin": [],
    "verifier": None,
    "issuer": None,
    "resource": None,
    "scope": [],
    "open": False,
    "shutdown_seconds": 10.0,
    "api": False,
    "workers": 1,
}


class ServeOptions(NamedTuple):
    """Options of starting a server; None stands for what was decided when generating."""

    exposure: Exposure | None
    search: Strategy | None
    #: The file that usage is recorded in, or `off`.
    usage: str | None
    log: str | None
    log_level: str
    #: Whether to serve HTTP, where to listen, and whom to answer.
    http: bool
    host: str
    port: int
    allow_host: Sequence[str]
    allow_origin: Sequence[str]
    #: `module:object` of a token verifier, and what goes with it.
    verifier: str | None
    issuer: str | None
    resource: str | None
    scope: Sequence[str]
    #: Whether other machines are served without tokens.
    open: bool
    #: How long calls under way are waited for when an HTTP server is told to stop.
    shutdown_seconds: float
    #: Whether the catalog is served over plain HTTP too, with a page to watch.
    api: bool
    #: Processes that serve one address.
    workers: int = 1


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a server to a command line."""
    parser.add_argument("--exposure", choices=EXPOSURES, help="what tools/list shows")
    parser.add_argument("--search", choices=STRATEGIES, help="how to rank; default: as generated")
    parser.add_argument("--usage", metavar="FILE|off", help="where calls are counted")
    parser.add_argument("--http", action="store_true", help="streamable HTTP instead of stdio")
    parser.add_argument(
        "--api", action="store_true", help="also the catalog API, and a page to watch at /"
    )
    parser.add_argument(
        "--host", metavar="HOST", help="the address to listen on; default: 127.0.0.1"
    )
    parser.add_argument(
        "--port", type=_port, metavar="PORT", help="the port; default: 8000; 0: any"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        metavar="HOST[:PORT]",
        help="requests for this host are answered too; may be repeated",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        metavar="ORIGIN",
        help="pages of this origin may call from a browser; may be repeated",
    )
    parser.add_argument("--verifier", metavar="MODULE:OBJECT", help="token verifier")
    parser.add_argument("--issuer", metavar="URL", help="authorization server of the tokens")
    parser.add_argument("--resource", metavar="URL", help="this server's own address")
    parser.add_argument("--scope", action="append", metavar="SCOPE", help="scope a token must have")
    parser.add_argument(
        "--log",
        choices=LOG_FORMATS,
        help="how it is logged; default: text on a terminal, else json",
    )
    parser.add_argument(
        "--log-level",
        choices=LOG_LEVELS,
        default="warning",
        help="info: each call; debug: whatever methods log",
    )
    parser.add_argument("--open", action="store_true", help="serve other machines without tokens")
    parser.add_argument(
        "--shutdown-seconds",
        type=_seconds,
        metavar="SECONDS",
        help="for calls under way when told to stop; default: 10",
    )
    parser.add_argument(
        "--workers", type=_workers, metavar="N", help="processes that share the address; default: 1"
    )
    parser.set_defaults(**_HTTP_DEFAULTS)


def serve_options(parsed: argparse.Namespace) -> ServeOptions:
    """The options that a parser with `add_options` has parsed."""
    return ServeOptions(**{name: getattr(parsed, name) for name in ServeOptions._fields})


def options_without_http(options: ServeOptions) -> list[str]:
    """The options that were given to a server over stdio, where they mean nothing."""
    return [
        f"--{name.replace('_', '-')}"
        for name, default in _HTTP_DEFAULTS.items()
        if not options.http and getattr(options, name) != default
    ]


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port; 0 to 65535")
    return int(text)


def _workers(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= _MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"{text} is no number of workers; 1 to {_MOST_WORKERS}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= _LONGEST_SHUTDOWN:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds; 0 to 3600")
    return seconds
