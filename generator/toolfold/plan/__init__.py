"""What will be emitted: every name, type, text and order, decided."""
