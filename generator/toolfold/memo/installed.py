"""Which versions are installed, by the names of the folders that say so.

`importlib.metadata` knows too, at the price of a tenth of a second.
"""

import os
import sys
from collections.abc import Collection, Iterator


def installed(names: Collection[str]) -> str:
    """What is installed of some distributions, named with _ and in lower case; sorted."""
    return " ".join(sorted(_found(names)))


def _found(names: Collection[str]) -> Iterator[str]:
    for folder in filter(os.path.isdir, sys.path):
        try:
            entries = os.listdir(folder)  # noqa: PTH208 - pathlib is slow by hundreds
        except OSError:
            continue  # nothing can be imported from there either
        for entry in entries:
            stem = entry.removesuffix(".dist-info")
            if stem != entry and stem.partition("-")[0].lower() in names:
                yield stem
