"""Datasets written to disk, by one process or many, with their counts, leaks and cards."""
