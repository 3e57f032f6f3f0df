"""What a dataset holds: counts, duplicates, its card."""
