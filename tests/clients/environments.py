"""Environments of the libraries that are tried as clients: `python -m tests.clients.environments`.

Each library has one of its own, because what they depend on conflicts: some want mcp 1, some 2.
python/<library>.txt pins the library in its first line and what it needs below. To try a newer
one, install that line into a new environment and write down what `pip freeze` says.

`make test-all` installs them once. It needs a package index; the tests afterwards no network.
"""

import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from filelock import FileLock

PINS: Final = Path(__file__).parent / "python"
INSTALLED: Final = Path(sys.prefix) / "clients" / "python"
#: How many are installed at once: pip computes about as long as it downloads.
_AT_ONCE: Final = 2
_OPTIONS: Final = (
    "-qq",  # errors only
    "--no-deps",  # the pins are complete
    "--no-compile",  # tests keep bytecode elsewhere
    "--disable-pip-version-check",
)


def libraries() -> list[str]:
    """The libraries that have pins."""
    return sorted(path.stem for path in PINS.glob("*.txt"))


def interpreter(library: str) -> Path:
    """The Python of a library's environment."""
    return INSTALLED / library / "bin" / "python"


def is_installed(library: str) -> bool:
    """Whether the environment is complete, and of the pins that are here now."""
    marker = _marker(library)
    return marker.is_file() and marker.read_bytes() == _pins(library).read_bytes()


def main() -> int:
    """1 where pip could not install something; what is there already is left alone."""
    INSTALLED.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return 1 if any(list(pool.map(_install, libraries()))) else 0


def _install(library: str) -> int:
    """pip's exit code. Only a finished environment is marked, with the pins that it was made of."""
    pins = _pins(library)
    with FileLock(INSTALLED / f"{library}.lock"):
        if is_installed(library):
            return 0
        first = next(line for line in pins.read_text(encoding="utf-8").splitlines() if "==" in line)
        print(f"installing {first} and what it needs", flush=True)
        venv.create(INSTALLED / library, clear=True, symlinks=True)
        pip = (sys.executable, "-m", "pip", "--python", str(interpreter(library)))
        done = subprocess.run([*pip, "install", *_OPTIONS, "--requirement", str(pins)])
        if done.returncode == 0:
            _marker(library).write_bytes(pins.read_bytes())
        return done.returncode


def _pins(library: str) -> Path:
    return PINS / f"{library}.txt"


def _marker(library: str) -> Path:
    return INSTALLED / library / "installed.txt"


if __name__ == "__main__":
    sys.exit(main())
