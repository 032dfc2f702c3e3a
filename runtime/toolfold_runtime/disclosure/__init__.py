"""Calls by name: meta-tools, runners and tools."""
