"""Readers of the sources that a recipe names."""
