"""Text: a plan rendered to a mapping of path to text, written to disk or compared with it."""
