"""What runs tools, behind one protocol."""
