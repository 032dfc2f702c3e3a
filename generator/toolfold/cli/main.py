"""The `toolfold` command: arguments in, exit code out."""

import argparse
import errno
import gc
import io
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn, TextIO

from toolfold import __version__
from toolfold.cli.arguments import parser
from toolfold.cli.printing import Printer, complain
from toolfold.errors import ManifestError, OutputError, UsageError

# What each extra is for, and the modules that it installs.
_RENDERING: Final = (
    "filelock",
    "platformdirs",
    "yaml",
    "jinja2",
    "datamodel_code_generator",
    "ruff",
)
_EXTRAS: Final = {
    "generate": ("the generator", (*_RENDERING, "splintr", "splintr_rs", "watchfiles")),
    "docs": ("the site builder", ("pyromark",)),
}


# Errors whose cause is the disk or the file system: the reason is told, without a traceback.
_OUTSIDE_ERRORS: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
    | {errno.ENAMETOOLONG}
)


# What ends a command as an interrupt does: it leaves neither processes nor folders behind.
_ENDING: Final = ("SIGTERM", "SIGHUP")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 fine, 1 problems, 2 wrong use or a failure of ours.

    A signal that ended the command ends the process, once everything is tidied up.
    """
    given = tuple(sys.argv[1:] if arguments is None else arguments)
    if not given:
        parser().print_help(sys.stderr)
        return 2
    caught: list[int] = []
    with _interrupted_by_signals(caught):
        exit_code = _run(given)
    if arguments is None:
        gc.freeze()  # the process ends: to look for garbage among all that was planned takes long
    if caught:
        signal.signal(caught[0], signal.SIG_DFL)
        signal.raise_signal(caught[0])
    return exit_code


@contextmanager
def _interrupted_by_signals(caught: list[int]) -> Iterator[None]:
    def interrupt(number: int, _: FrameType | None) -> NoReturn:
        caught.append(number)
        raise KeyboardInterrupt

    with ExitStack() as restoring:
        for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
            with suppress(ValueError):  # not the main thread
                if signal.getsignal(number) is signal.SIG_DFL:
                    restoring.callback(signal.signal, number, signal.signal(number, interrupt))
        yield


def _run(given: tuple[str, ...]) -> int:
    _open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr is, whatever its encoding
    try:
        try:
            return _exit_code(parser().parse_args(given, argparse.Namespace(given=given)))
        finally:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None and not stream.closed:
                    stream.flush()  # here, where a reader that went away can still be handled
    except BrokenPipeError:
        _discard(sys.stdout, sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        with suppress(OSError):
            complain(f"toolfold: {_circumstance(error) or error}")
        _discard(sys.stdout, sys.stderr)
        return 2


def _open_closed_streams() -> None:
    """Send nowhere what is printed to a stream that was closed before the command was started."""
    if sys.stderr is None:
        from toolfold_runtime.server_log import ensure_stderr

        ensure_stderr()
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end


def _exit_code(options: argparse.Namespace) -> int:
    try:
        exit_code: int = options.run(options)
        return exit_code
    except ManifestError as error:
        Printer(options.format, options.verbose).refusal(error)
        return 1
    except OutputError as error:
        complain(str(error))
        return 1
    except UsageError as error:
        complain(f"toolfold: {error}")
        return 2
    except ModuleNotFoundError as error:
        return _missing(error, options.command)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and (reason := _circumstance(error)):
            complain(f"toolfold: {reason}")
            return 2
        return _bug(error)


def _circumstance(error: OSError) -> str | None:
    """What is wrong around us, where it is that; None where the failure may be our own."""
    if error.errno in _OUTSIDE_ERRORS:
        return f"{error.filename or 'stdout'}: {error.strerror}"
    try:
        Path.cwd()
    except OSError:
        return "the working directory is gone; change to one that exists"
    return None


def _discard(*streams: TextIO) -> None:
    """Send what is still buffered nowhere: Python flushes it at exit, and would complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        with suppress(OSError, ValueError):  # a stream that is no file, or closed
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _missing(error: ModuleNotFoundError, command: str) -> int:
    # A distribution that is missing raises this too, under its own name.
    module = (error.name or "").split(".")[0].replace("-", "_")
    for extra, (purpose, modules) in _EXTRAS.items():
        if module in modules:
            # The site needs both, which is better said at once.
            extras = "generate,docs" if command == "docs" else extra
            complain(f"toolfold {command} needs {purpose}: pip install 'toolfold[{extras}]'")
            return 2
    return _bug(error)


def _bug(error: Exception) -> int:
    traceback.print_exception(error)
    complain(f"\nthis is a bug in toolfold {__version__}; please report it with the lines above")
    return 2
