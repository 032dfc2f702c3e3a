"""Serving a catalog over stdio or HTTP."""
