"""What usage says about a manifest's tools: figures, scores, and the overlay of tiers."""
