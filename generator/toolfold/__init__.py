"""toolfold: a compiler from one YAML manifest to a progressively disclosing MCP server."""

__version__ = "0.1.0"
