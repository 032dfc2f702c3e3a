"""Stubs: the typed functions that tools are in programs, made from the manifest's schemas."""
