"""Results of earlier runs, stored in the user's cache folder; only speed depends on them."""
