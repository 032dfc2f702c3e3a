"""The user's class: imported from the manifest's folder, constructed once."""

import contextlib
import importlib
import sys
import traceback
from pathlib import Path


class ImplementationError(Exception):
    """The declared implementation cannot be had; the message says why."""


def load_implementation(path: str | None, root: Path) -> object | None:
    """An instance of `module.path:Class` imported from `root`, or None where none is declared."""
    if path is None:
        return None
    folder = str(root.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module_name, _, class_name = path.partition(":")
    try:
        # Whatever the user's module prints goes to stderr: stdout belongs to the protocol.
        with contextlib.redirect_stdout(sys.stderr):
            made = getattr(importlib.import_module(module_name), class_name, None)
            if made is None:
                raise ImplementationError(
                    f"implementation {path}: {module_name} has no {class_name}"
                )
            instance: object = made()
    except ModuleNotFoundError as error:
        if error.name is not None and module_name.startswith(error.name):
            message = f"implementation {path}: no module {error.name} in the manifest's folder"
        else:
            message = f"implementation {path}: {error}; install it beside toolfold"
        raise ImplementationError(message) from None
    except ImplementationError:
        raise
    except Exception as error:
        # It is the author's code that failed, and the author who reads this.
        traceback.print_exception(error, file=sys.stderr)
        message = f"implementation {path}: failed with {type(error).__name__}: {error}"
        raise ImplementationError(message) from None
    return instance
