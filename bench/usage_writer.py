"""A process that records so many calls, at so many a second where that is said, and ends."""

import sys
import time
from pathlib import Path

from toolfold_runtime.usage.location import location_of
from toolfold_runtime.usage.recorder import Recorder


def main() -> None:
    """Record; what was added so far is printed ten times a second."""
    count, rate = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    recorder = Recorder(lambda: location_of(None, None, Path()))
    step = max(1, rate // 100)
    for done in range(0, count, step):
        for number in range(step):
            recorder.add(f"bench::tool_{(done + number) % 50}", "ok", 0.02)
        if done % (step * 10) == 0:
            print(done + step, flush=True)
        time.sleep(0.01)
    recorder.close(30)


if __name__ == "__main__":
    main()
