"""`python -m toolfold`: the command line."""

import sys

from toolfold.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
