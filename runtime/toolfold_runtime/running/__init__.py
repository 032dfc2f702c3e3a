"""Carrying calls out: validate, look in the cache, run, validate, shape, record."""
