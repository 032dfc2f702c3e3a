"""The town's search, planned once for each module."""

from pathlib import Path

import pytest
from toolfold_runtime import Catalog
from toolfold_runtime.contract.vocabulary import STRATEGIES
from toolfold_runtime.search.find import Finder

from tests.disclosure.catalogs import Baked
from tests.search.catalogs import TOWN, finder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("town")


@pytest.fixture(scope="session")
def lexical(folder: Path) -> Finder:
    return finder(folder, TOWN)


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The baked catalog: what a server reads."""
    return Baked(tmp_path_factory.mktemp("baked"), TOWN).catalog


@pytest.fixture(scope="session")
def finders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finder]:
    """The town's search by each strategy."""
    given = TOWN | {"disclosure": {"search": "hybrid"}}
    return {one: finder(tmp_path_factory.mktemp(one), given, one) for one in STRATEGIES}
