"""What search needs: words, index, vectors, result lines, and the retrieval check."""
