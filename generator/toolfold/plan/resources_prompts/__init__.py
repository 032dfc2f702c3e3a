"""Resources and prompts: those that a manifest declares, and a prompt for each workflow."""
