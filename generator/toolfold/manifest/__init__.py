"""What the user wrote: read, shaped and held to the rules that need no plan."""
