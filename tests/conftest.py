"""What every test has: golden files are rewritten on request, and the user's cache is left alone."""

import gc
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.processes import COLD

# How long an example takes says more of the machine than of the code.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/golden from what the compiler says today; read the diff afterwards",
    )
    parser.addoption(
        "--cold",
        action="store_true",
        help="start every process as a new interpreter, instead of forking one that is warm",
    )


def pytest_configure(config: pytest.Config) -> None:
    # A run in the background ignores interrupts, and so would every process that it starts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Hundreds of processes start below: compiled once, outside of every folder that is looked at.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(Path(sys.prefix, "bytecode"))
    sys.dont_write_bytecode = False
    if config.getoption("--cold"):
        os.environ[COLD] = "1"
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden does not run in CI: a person reads the diff")


def pytest_collection_finish() -> None:
    # Thousands of tests stay to the end: whoever looks for garbage need not walk them each time.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _caches_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Cache folders for this run and every process that it starts, instead of the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOOLFOLD_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("TOOLFOLD_USAGE", str(tmp_path_factory.mktemp("usage") / "usage.db"))
        patch.setenv("MYPY_CACHE_DIR", str(tmp_path_factory.mktemp("mypy")))
        yield
        # What was compiled of projects that are gone would only pile up.
        compiled = Path(f"{sys.pycache_prefix}{tmp_path_factory.getbasetemp()}")
        shutil.rmtree(compiled, ignore_errors=True)
