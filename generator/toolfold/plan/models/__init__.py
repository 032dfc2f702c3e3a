"""Pydantic models as data: which classes there are, what they are called, what their fields hold."""
