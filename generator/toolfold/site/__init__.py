"""The static site: the generated Markdown staged, built by zensical, and completed for agents."""
