"""What the fixture tools answer; the suite's own words where it has some."""

from typing import Any


class Fixtures:
    """Implementation of tools.yaml beside this file."""

    def test_simple_text(self, params: object) -> str:
        return "This is a simple text response for testing."

    def test_error_handling(self, params: object) -> str:
        raise RuntimeError("This tool intentionally returns an error for testing")

    def test_logging_tool(self, params: object) -> str:
        return "Nothing was logged."

    def json_schema_2020_12_tool(self, params: Any) -> Any:
        return params

    def test_header_parameter(self, params: Any) -> str:
        return str(params.region)
