"""CPU of the first search of a started server in ms, and the memory it adds in MB; printed as JSON."""

import importlib
import json
import os
import sys
import time
from pathlib import Path

QUERY = "create an issue in a repository. Then send the team a message with its address."


def main() -> None:
    """Start the server of a generated package, short of listening; then search once."""
    package, strategy = sys.argv[1], sys.argv[2]
    sys.path.insert(0, "generated")
    from toolfold_runtime.disclosure.dispatch import Dispatcher
    from toolfold_runtime.running.backends.python import backend_of
    from toolfold_runtime.running.execute import Executor
    from toolfold_runtime.serving.protocol import build_server

    server = importlib.import_module(f"{package}.server")
    server.CATALOG.choose_search(strategy)
    executor = Executor(server.CATALOG, backend_of(server.CATALOG, None))
    dispatcher = Dispatcher(server.CATALOG, server.META_TOOLS, executor)
    build_server(dispatcher)
    memory, started = _resident(), time.process_time()
    answer = server.META_TOOLS["search_tools"](query=QUERY)
    cost = {"ms": 1000 * (time.process_time() - started), "mb": _resident() - memory}
    print(json.dumps(cost | {"lines": answer.count("\n")}))


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
