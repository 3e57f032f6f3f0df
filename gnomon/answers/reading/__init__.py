"""Code that readers of all types of answers share."""
