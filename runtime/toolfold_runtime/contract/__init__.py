"""What the generator writes and the runtime reads, declared once.

Both sides use these types: the generator constructs them and `encode` writes them, the runtime
reads them back with `decode`. Nothing else crosses from one to the other.
"""
