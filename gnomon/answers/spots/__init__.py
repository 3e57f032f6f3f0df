"""Several texts with their boxes."""
