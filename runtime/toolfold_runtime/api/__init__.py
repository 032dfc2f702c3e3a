"""The catalog API beside the MCP endpoint: the same views, over plain HTTP."""
