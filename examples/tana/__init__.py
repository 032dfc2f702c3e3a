"""A Tana-like workspace embedded in SQLite: what this repository's own tools.yaml serves."""
