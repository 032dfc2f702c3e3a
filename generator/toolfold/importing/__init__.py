"""Importing other people's tools: read, named, grouped, and written as a manifest."""
