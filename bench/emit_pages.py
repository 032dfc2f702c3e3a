"""CPU seconds to write every page of a manifest: `python -m bench.emit_pages FOLDER`."""

import sys
import time
from pathlib import Path

from toolfold import compile as compiler
from toolfold.manifest.load import load_with_problems
from toolfold.memo.memo import Memo
from toolfold.memo.store import Store


def main() -> int:
    """Print what the pages cost: working out what stands on them, and filling the templates."""
    memo = Memo(Store())
    loaded = load_with_problems(Path(sys.argv[1], "tools.yaml"))
    catalog = compiler.plan_tools(loaded, memo)
    plan = compiler.plan_views(catalog, memo)
    started = time.process_time()
    texts = compiler.render_pages(catalog, plan, memo)
    spent = time.process_time() - started
    assert len(texts) > len(catalog.tools)
    print(spent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
