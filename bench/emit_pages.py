"""CPU seconds to write every page of a manifest: `python -m bench.emit_pages FOLDER`."""

import sys
import time
from pathlib import Path

from toolfold.emit.render import page_texts
from toolfold.manifest.load import examine
from toolfold.plan.build import finish_plan, plan_tools


def main() -> int:
    """Print an upper bound: the views of the catalog are decided on the way to the pages."""
    planned = plan_tools(examine(Path(sys.argv[1], "tools.yaml")))
    finish_plan(planned, "../..")  # what is loaded on the first use is not the pages' cost
    started = time.process_time()
    plan = finish_plan(planned, "../..")
    pages = dict(page_texts(plan))
    whole = time.process_time() - started
    assert len(pages) > len(planned.tools)
    print(whole)
    return 0


if __name__ == "__main__":
    sys.exit(main())
