"""The static site: pages of Markdown rendered, framed, and completed for agents."""
