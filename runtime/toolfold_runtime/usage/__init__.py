"""Usage records: how often tools are called, with what outcome, and how long they take."""
