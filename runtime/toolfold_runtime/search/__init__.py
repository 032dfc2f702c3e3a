"""Searching for tools: queries, ranking, and the answer for the agent."""
