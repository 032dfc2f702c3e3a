"""The user's class: imported from the manifest's folder, constructed once."""

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from toolfold_runtime import server_log
from toolfold_runtime.contract import files
from toolfold_runtime.errors import StartError

# How the names of files begin whose frames lead to the author's code.
_MACHINERY: Final = (__file__, importlib.__file__, "<frozen importlib")


class ImplementationError(StartError):
    """The author's class or verifier cannot be loaded or started; the message says why."""


def load_implementation(path: str | None, root: Path) -> object | None:
    """An instance of `module.path:Class` imported from `root`, or None where none is declared."""
    if path is None:
        return None
    declared = load_object(path, root, "implementation")
    with _authors_code(f"implementation {path}"):
        instance: object = declared()
    return instance


def load_object(path: str, root: Path, role: str) -> Any:
    """The object `module.path:name`, imported from `root`; `role` names its purpose in messages."""
    folder = str(root.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module_name, _, name = path.partition(":")
    if not module_name or not name:
        raise ImplementationError(f"{role} {path}: write it as module:object")
    with _authors_code(f"{role} {path}"):
        named = getattr(importlib.import_module(module_name), name, None)
    if named is None:
        raise ImplementationError(f"{role} {path}: {module_name} has no {name}")
    return named


@contextlib.contextmanager
def _authors_code(subject: str) -> Iterator[None]:
    """Run the author's code: what it prints goes to stderr, a failure is an ImplementationError."""
    try:
        # stdout belongs to the protocol.
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except (Exception, SystemExit) as error:
        message = _import_failure(subject, error) if isinstance(error, ImportError) else None
        if message is None:
            server_log.failure(f"{subject} failed", error.with_traceback(_of_author(error)))
            message = f"{subject}: failed with {type(error).__name__}: {error}"
        raise ImplementationError(message) from None


def _of_author(error: BaseException) -> TracebackType | None:
    """The traceback without our frames and those of importing, which say nothing to an author."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename.startswith(_MACHINERY):
        trace = trace.tb_next
    return trace


def _import_failure(subject: str, error: ImportError) -> str | None:
    """Why an import failed and the way out; None where the traceback is needed."""
    module = error.name or ""
    if _is_generated(module.partition(".")[0]):
        return f"{subject}: {error}; it is not generated: `toolfold check` shows the line to mend"
    if not isinstance(error, ModuleNotFoundError):
        return None
    if module and subject.split()[1].partition(":")[0].startswith(module):
        return f"{subject}: no module {module} in the manifest's folder; `toolfold generate` writes one"
    return f"{subject}: {error}; install it beside toolfold"


def _is_generated(package: str) -> bool:
    """Whether a package that was imported is a generated one."""
    file = getattr(sys.modules.get(package), "__file__", None)
    return file is not None and (Path(file).parent / "catalog" / files.SERVER).is_file()
