"""The user's class beside the manifest: what it lacks, found by reading it and never by running it."""
