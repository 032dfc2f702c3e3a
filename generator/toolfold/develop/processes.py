"""Ending processes that a command has started."""

import subprocess
from typing import Any, Final

_GRACE: Final = 5.0  # seconds to end by itself


def wait_or_kill(process: subprocess.Popen[Any]) -> None:
    """Wait a few seconds for a process that was asked to end, then kill it.

    An interruption meanwhile, which is a second one, kills it at once.
    """
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
    except BaseException:
        process.kill()
        raise
    finally:
        process.wait()
