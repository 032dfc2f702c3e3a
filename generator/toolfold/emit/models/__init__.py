"""Pydantic models: property shapes, the model generator, the audit of what it writes."""
