"""Intervals, tests and effects of crossed factors."""
