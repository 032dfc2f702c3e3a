"""Everything that the OpenAPI document allows is answered as it says."""

from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.result import Ok

from tests.support.servers import Listening


def test_every_answer_is_one_that_the_document_describes(api: Listening) -> None:
    base = api.url.removesuffix("/mcp")
    schema = schemathesis.openapi.from_url(f"{base}/api/v1/openapi.json")
    asked: set[str] = set()

    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        strategy = result.ok().as_strategy()

        @settings(
            max_examples=15,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy)
        def ask(case: Any) -> None:
            case.call_and_validate(base_url=base)
            asked.add(case.path)

        ask()

    assert len(asked) == 8
