"""What is wrong with a value that a schema refuses, as data."""
