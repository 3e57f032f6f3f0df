"""Datasets written to disk, by one process or many."""
