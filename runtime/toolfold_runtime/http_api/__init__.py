"""Requests to HTTP APIs: written from arguments, sent to one origin, and what comes back read."""
