"""The shop, in this process and over HTTP with a verifier of tokens."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.callers.material import VERIFIER
from tests.resources_prompts.material import IMPLEMENTATION, MORE, TOOLS
from tests.support.projects import Project, served_by
from tests.support.servers import Listening, listening_with_verifier


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = served_by(tmp_path_factory.mktemp("shop"), TOOLS, IMPLEMENTATION, **MORE)
    (made.folder / "checks.py").write_text(VERIFIER, encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def server(shop: Project) -> Any:
    """In this process."""
    return shop.server(implementation=implementation_of(shop))


@pytest.fixture(scope="session")
def guarded(shop: Project) -> Iterator[Listening]:
    """Over HTTP, with a verifier."""
    with listening_with_verifier(shop) as running:
        yield running


def implementation_of(made: Project) -> object:
    """An instance of the class beside a manifest."""
    names: dict[str, Any] = {}
    exec(compile(IMPLEMENTATION, str(made.folder), "exec"), names)
    return names["Tools"]()
