"""JSON Schemas of tools: as served and validated, checked, and as classes in Python."""
