"""What agents are shown: meta-tools, views, budgets and exposures."""
