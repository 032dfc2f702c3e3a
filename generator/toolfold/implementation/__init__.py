"""The user's class compared with the protocol, by reading its source and never running it."""
