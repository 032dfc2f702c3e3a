"""The backends that run tools, behind one protocol."""
