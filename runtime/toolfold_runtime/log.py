"""A log for methods: an event and its facts, in the server's log and at clients that ask for it.

    from toolfold_runtime import log

    log.info("imported", rows=3)

Works in async and blocking methods, in threads that carry the context of a call, and outside of
calls, where only the server's log gets it. The logger is that of the module that logs.
"""

import logging
import sys

from toolfold_runtime.log_lines import plain_facts, text_of, with_facts
from toolfold_runtime.running.call import current


def debug(event: str, /, **facts: object) -> None:
    """Something for whoever looks for a mistake."""
    _log(logging.DEBUG, event, facts)


def info(event: str, /, **facts: object) -> None:
    """Something that happened."""
    _log(logging.INFO, event, facts)


def warning(event: str, /, **facts: object) -> None:
    """Something that somebody should look into."""
    _log(logging.WARNING, event, facts)


def error(event: str, /, **facts: object) -> None:
    """Something that went wrong."""
    _log(logging.ERROR, event, facts)


def _log(level: int, event: str, facts: dict[str, object]) -> None:
    logger = logging.getLogger(_module())
    call = current()
    is_wanted = call is not None and call.notifications.wants(level)
    is_enabled = logger.isEnabledFor(level)
    if not is_wanted and not is_enabled:
        return
    text, known = text_of(event), plain_facts(facts)
    if call is not None and is_wanted:
        data = with_facts({"event": text}, known) if known else text
        call.notifications.log(level, logger.name, data)
    if is_enabled:
        logger.log(level, text, extra={"facts": known}, stacklevel=3)


def _module() -> str | None:
    """The name of the module that logs; None where a thread was started with nothing else."""
    try:
        name = sys._getframe(3).f_globals.get("__name__")
    except ValueError:
        return None
    return name if isinstance(name, str) else None
