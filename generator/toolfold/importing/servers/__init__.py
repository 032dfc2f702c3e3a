"""Servers that run to files of a manifest: found in clients' configuration, listed, written, reviewed."""
