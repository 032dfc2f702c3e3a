"""Options that several commands share, and the kinds of values that options have."""

import argparse
from pathlib import Path


def add_project(parser: argparse.ArgumentParser) -> None:
    """Which manifest is compiled, and where to."""
    add_manifest(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FOLDER",
        help="the generated folder; default: generated/ beside the manifest",
    )


def add_manifest(parser: argparse.ArgumentParser) -> None:
    """Which manifest is read."""
    parser.add_argument(
        "-m",
        "--manifest",
        type=Path,
        metavar="FILE",
        default=Path("tools.yaml"),
        help="the manifest; default: tools.yaml",
    )


def add_reporting(parser: argparse.ArgumentParser) -> None:
    """How problems are printed, and whether earlier results are used."""
    add_format(parser)
    parser.add_argument(
        "--no-cache", dest="cache", action="store_false", help="neither read nor write the cache"
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """How problems are printed."""
    parser.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="how problems are printed",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="every warning, not a count")


def add_commit(parser: argparse.ArgumentParser) -> None:
    """What a hook before commits asks for."""
    parser.add_argument(
        "--for-commit",
        action="store_true",
        help="fail where something was changed or is not added to git",
    )


def add_patience(parser: argparse.ArgumentParser) -> None:
    """How long servers may take."""
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        default=60.0,
        help="seconds for each server; default: 60",
    )


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """How queries are ranked and printed."""
    from toolfold_runtime.contract.vocabulary import STRATEGIES

    add_manifest(parser)
    parser.add_argument("--search", choices=STRATEGIES, help="how to rank; default: the manifest's")
    parser.add_argument("--json", action="store_true", help="print JSON, for machines")


def add_usage_place(parser: argparse.ArgumentParser) -> None:
    """Which usage store is read."""
    parser.add_argument(
        "--usage",
        metavar="FILE|off",
        help="the store to read; default: TOOLFOLD_USAGE, or as the manifest says",
    )


def positive(text: str) -> int:
    """A number from 1."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1")
    return int(text)


def days(text: str) -> int:
    """A number of days, up to a year."""
    days = positive(text)
    if days > 366:
        raise argparse.ArgumentTypeError(f"{text} is more than a year, which is all that is kept")
    return days


def seconds(text: str) -> float:
    """A number of seconds, up to an hour."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds, up to 3600")
    return seconds
