"""CPU seconds to decide and write every page of a manifest: `python -m bench.emit_pages FOLDER`."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from toolfold.emit.render import page_texts
from toolfold.manifest.load import examine
from toolfold.plan import build
from toolfold.plan.docs.facts import Documented
from toolfold.plan.model import PagePlan
from toolfold.plan.pages import pages


def main() -> int:
    """Print what the pages cost: what the plan decides about them, and filling the templates."""
    spent = 0.0

    def timed(facts: Documented) -> Iterator[PagePlan]:
        nonlocal spent
        started = time.process_time()
        decided = list(pages(facts))
        spent += time.process_time() - started
        yield from decided

    with patch.object(build, "pages", timed):
        plan = build.build_plan(examine(Path(sys.argv[1], "tools.yaml")), "../..")
    started = time.process_time()
    texts = dict(page_texts(plan))
    spent += time.process_time() - started
    assert len(texts) > len(plan.tools)
    print(spent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
