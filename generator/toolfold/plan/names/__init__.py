"""Names: from the manifest to Python and to files, and the clashes between them."""
