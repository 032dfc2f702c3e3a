"""The generated catalog, read on demand."""
