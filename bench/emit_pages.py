"""CPU seconds to write every page of a manifest: `python -m bench.emit_pages FOLDER`."""

import sys
import time
from pathlib import Path

from toolfold.emit.render import page_texts
from toolfold.manifest.load import examine
from toolfold.plan.catalog import build_plan


def main() -> int:
    """Print what the pages cost: working out what stands on them, and filling the templates."""
    plan = build_plan(examine(Path(sys.argv[1], "tools.yaml")), "../..")
    started = time.process_time()
    texts = page_texts(plan)
    spent = time.process_time() - started
    assert len(texts) > len(plan.tools)
    print(spent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
