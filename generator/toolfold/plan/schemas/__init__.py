"""JSON Schemas of tools: as served and validated, checked, and as modelled in Python."""
