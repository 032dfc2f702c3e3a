"""Finding tools: queries, ranking, and the answer that an agent reads."""
