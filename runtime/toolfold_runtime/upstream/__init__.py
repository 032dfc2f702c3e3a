"""Other MCP servers: connecting, listing and calling their tools, comparing tools with pins."""
