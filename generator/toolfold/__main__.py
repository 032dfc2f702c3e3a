"""`python -m toolfold`: the command line."""

import sys

if __name__ == "__main__":
    try:
        from toolfold.cli.main import main

        sys.exit(main())
    except KeyboardInterrupt:  # while it was imported
        sys.exit(130)
