"""What each command does, without knowing who asked."""
