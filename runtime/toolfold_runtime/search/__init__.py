"""Finding tools: what was asked, how well each tool answers it, and what the agent reads."""
