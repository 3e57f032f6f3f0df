"""Samples read from wherever a recipe names them."""
