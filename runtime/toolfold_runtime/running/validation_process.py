"""Validation in a process of its own, for schemas and values that may take very long.

The validator is one call into a library that lets nothing else in the process run, so the only way
to end it is to end its process. Run as a module, this is that process: it reads the schema and the
value, and its exit code is the answer.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from toolfold_runtime.validation import validator_for

_VALID: Final = 0
_INVALID: Final = 10  # no exit code that Python itself ends with
_IMPORT_ROOT: Final = Path(__file__).parents[2]


def is_valid_in_process(
    schema: dict[str, Any], value: object, seconds: float, *, asserts_formats: bool
) -> bool:
    """Whether a schema accepts a value; TimeoutError where that takes longer than so many seconds."""
    path = os.pathsep.join([str(_IMPORT_ROOT), os.environ.get("PYTHONPATH", "")])
    try:
        ended = subprocess.run(  # noqa: S603 - our own module
            # -P: nothing is imported from the folder that the server happens to run in.
            [sys.executable, "-P", "-m", __name__],
            input=json.dumps([schema, value, asserts_formats, seconds]).encode(),
            env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    if ended.returncode not in (_VALID, _INVALID):
        reason = ended.stderr.decode("utf-8", "replace")[-500:]
        raise RuntimeError(f"validation ended with {ended.returncode}: {reason}")
    return ended.returncode == _VALID


def main() -> int:
    """Validate the value on standard input by the schema there, within the time given there."""
    schema, value, asserts_formats, seconds = json.load(sys.stdin)
    if hasattr(signal, "setitimer"):
        # The system ends it, also where the server is gone and nobody else would.
        signal.setitimer(signal.ITIMER_REAL, seconds)
    validator = validator_for(schema, asserts_formats=asserts_formats)
    return _VALID if validator.is_valid(value) else _INVALID


if __name__ == "__main__":
    sys.exit(main())
