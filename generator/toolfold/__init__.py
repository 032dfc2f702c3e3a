"""toolfold: one YAML file in, a typed MCP server out, whose tools agents find step by step."""

__version__ = "0.1.0"
