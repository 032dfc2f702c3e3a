"""Importing running servers: found in clients' configuration, listed, written to files, reviewed."""
