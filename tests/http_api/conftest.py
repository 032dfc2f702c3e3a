"""One project for all tests of HTTP APIs: generating it takes longer than any of them."""

import pytest

from tests.http_api.apis import MANIFEST, World
from tests.support.projects import Project, project


@pytest.fixture(scope="session")
def apis(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("apis"), MANIFEST)


@pytest.fixture
def world(apis: Project, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(apis, monkeypatch)
