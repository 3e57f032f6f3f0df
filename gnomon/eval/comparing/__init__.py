"""Comparisons of runs with each other and with chance, by significance tests."""
