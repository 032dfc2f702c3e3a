"""What carries calls out, behind one protocol."""
