"""Other MCP servers: connecting to them, listing and calling their tools, comparing them with their pins."""
