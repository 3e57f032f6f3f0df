"""Answers read, measured and summed up."""
