"""A process that records a number of calls, at a given rate if there is one, and ends.

python -m bench.usage_writer PLACE COUNT [RATE]     where PLACE is a file or a DSN
"""

import sys
import time

from toolfold_runtime.usage.location import Location, is_dsn
from toolfold_runtime.usage.recorder import Recorder


def main() -> None:
    """Record; what was added so far is printed ten times a second."""
    place, count = sys.argv[1], int(sys.argv[2])
    rate = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
    recorder = Recorder(Location("postgres" if is_dsn(place) else "sqlite", place))
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
