"""What a server offers beside tools: resources, and prompts."""
